import Foundation

/// One of the built programs, run with an environment of its own.
// Sendable proof: `process` and the pipes are set in `init` and only read after it; `Process` may be asked and
// signalled from any thread, and each pipe is read by one task.
final class ServerProgram: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// - Parameters:
    ///   - home: Becomes `HOME`; nothing else of our environment is passed on. A password costs the least.
    ///   - program: Default: the server.
    init(
        _ arguments: [String], home: String, environment: [String: String] = [:], input: String = "",
        program: String = "shiftlog-server"
    ) throws {
        process.executableURL = Self.folder.appending(path: program)
        process.arguments = arguments
        process.environment = environment.merging(["HOME": home, "SHIFTLOG_PASSWORD_COST": "10"]) { first, _ in first }
        process.standardOutput = output
        process.standardError = errors
        let source = Pipe()
        process.standardInput = source
        try process.run()
        try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try source.fileHandleForWriting.close()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// The first line of standard error that contains `words`; `nil` when the program ended without it.
    func errorLine(containing words: String) async -> String? {
        await onThread { [errors] in
            var text = ""
            while true {
                let bytes = errors.fileHandleForReading.availableData
                guard !bytes.isEmpty else { return nil }
                text += String(decoding: bytes, as: UTF8.self)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                if let line = lines.first(where: { $0.contains(words) }) { return String(line) }
            }
        }
    }

    struct Outcome: Sendable {
        var status: Int32
        var isSignal: Bool
        var output: String
        var errors: String
    }

    /// What the program left behind; waits for its end.
    func outcome() async -> Outcome {
        await onThread { [process, output, errors] in
            // Both fit a pipe: the commands of these tests write a few lines.
            let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let outputText = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return Outcome(
                status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
                output: outputText, errors: errorText)
        }
    }

    private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    /// Beside the running test program.
    private static var folder: URL {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    }
}

/// Runs `body` with an empty directory, and removes it.
func withFreshHome(_ body: (String) async throws -> Void) async throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "backend-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }
    try await body(home)
}
