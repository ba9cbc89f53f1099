import Foundation
import Synchronization

struct Outcome: Sendable {
    let status: Int32
    let wasSignalled: Bool
    let out: String
    let err: String
}

/// A started process whose output goes to files, so that it never waits for a reader.
final class Program: Sendable {
    private static let starting = Mutex(())
    private let process = Process()
    private let out: String
    private let err: String
    private let ended = Mutex<(isOver: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    /// - Parameter standardInput: Instead of `input`.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], folder: String, input: String?,
        standardInput: FileHandle? = nil
    ) throws {
        let id = UUID().uuidString
        out = "\(folder)/\(id).out"
        err = "\(folder)/\(id).err"
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = try Self.file(out)
        process.standardError = try Self.file(err)
        if let standardInput {
            process.standardInput = standardInput
        } else if let input {
            let source = "\(folder)/\(id).in"
            try Data(input.utf8).write(to: URL(filePath: source))
            process.standardInput = try FileHandle(forReadingFrom: URL(filePath: source))
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        process.terminationHandler = { [weak self] _ in self?.end() }
        // One at a time: two at once have crashed in Foundation.
        try Self.starting.withLock { _ in try process.run() }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var id: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    func outcome() async throws -> Outcome {
        await withCheckedContinuation { continuation in
            let isOver = ended.withLock { state in
                if !state.isOver { state.waiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
        return Outcome(
            status: process.terminationStatus, wasSignalled: process.terminationReason == .uncaughtSignal,
            out: Self.text(out), err: Self.text(err))
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

    private func end() {
        let waiters = ended.withLock { state in
            state.isOver = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(filePath: path))
        return try FileHandle(forWritingTo: URL(filePath: path))
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
