import Foundation

struct Outcome: Sendable {
    let status: Int32
    let wasSignalled: Bool
    let out: String
    let err: String
}

/// A started process whose output goes to files, so that it never waits for a reader. It ends with this value.
final class Program: Sendable {
    private let child: Child
    private let out: String
    private let err: String

    /// - Parameter standardInput: Instead of `input`.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], folder: String, input: String?,
        standardInput: Int32? = nil
    ) throws {
        let id = UUID().uuidString
        out = "\(folder)/\(id).out"
        err = "\(folder)/\(id).err"
        var source = Child.Input.file("/dev/null")
        if let standardInput {
            source = .descriptor(standardInput)
        } else if let input {
            let file = "\(folder)/\(id).in"
            source = .file(file)
            try Data(input.utf8).write(to: URL(filePath: file))
        }
        child = try Child(path, arguments, environment: environment, input: source, output: out, errors: err)
    }

    deinit { child.signal(SIGKILL) }

    var id: Int32 { child.id }
    var isRunning: Bool { child.isRunning }
    func signal(_ number: Int32) { child.signal(number) }

    func outcome() async throws -> Outcome {
        let ending = await child.ending()
        return Outcome(
            status: ending.status, wasSignalled: ending.wasSignalled, out: Self.text(out), err: Self.text(err))
    }

    var outputSoFar: String { Self.text(out) }
    var errorsSoFar: String { Self.text(err) }

    /// The first line on standard error with these words. Fails when the program ends before or within 60 s says nothing.
    func firstErrorLine(containing words: String) async throws -> String {
        var line: Substring?
        _ = try await holds {
            let isOver = !isRunning
            let lines = Self.text(err).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            line = lines.first { $0.contains(words) }
            return line != nil || isOver
        }
        guard let line else { throw EndToEndError("the program never said '\(words)':\n\(Self.text(err))") }
        return String(line)
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
