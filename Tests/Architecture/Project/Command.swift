import Dispatch
import Foundation

/// A process with a time limit. The test waits for it without blocking a thread.
enum Command {
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    /// The manifest in `folder`, as the package manager reads it.
    ///
    /// It uses `--ignore-lock`, because `swift test` holds the lock of the build folder and the call would wait forever.
    static func swiftPackageDump(at folder: URL) async throws -> Result {
        let arguments = ["swift", "package", "dump-package", "--ignore-lock", "--package-path", folder.path]
        return try await run(arguments, seconds: 120)
    }

    /// - Returns: The status and the output. After `seconds` the process is killed, and the status is its signal.
    static func run(_ arguments: [String], seconds: Int) async throws -> Result {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "architecture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let output = try File(scratch.appending(path: "output"))
        let errors = try File(scratch.appending(path: "errors"))

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .filter { $0.key != "STRATA_TESTS" }  // it removes test targets from the manifest
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.handle
        process.standardError = errors.handle

        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
                return
            }
            let identifier = process.processIdentifier
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak process] in
                if process?.isRunning == true { kill(identifier, SIGKILL) }
            }
        }
        return Result(status: status, output: try output.text(), errors: try errors.text())
    }

    /// A file for the output of a process. A pipe would fill up without a reader.
    private struct File {
        let url: URL
        let handle: FileHandle

        init(_ url: URL) throws {
            try Data().write(to: url)
            self.url = url
            handle = try FileHandle(forWritingTo: url)
        }

        func text() throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
    }
}
