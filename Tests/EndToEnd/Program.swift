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

    /// Waits, by looking every 10 ms, until the program has written such a line to standard error or has ended.
    func firstErrorLine(containing words: String) async throws -> String {
        for _ in 0..<3000 {
            let text = Self.text(err)
            if let line = text.split(separator: "\n").first(where: { $0.contains(words) }), text.hasSuffix("\n") {
                return String(line)
            }
            guard isRunning else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw EndToEndError("the program never said '\(words)':\n\(Self.text(err))")
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
