import Foundation
import Glibc
import StrataTesting
import Testing

/// Processes that share one directory: this program, started again to run one test. They tell of themselves by lines in
/// files, and wait for files.
final class Workers {
    /// What a started process is told.
    struct Task: Sendable {
        /// The shared directory.
        let path: String
        /// One word about its work; may be empty.
        let work: String

        private static let variables = ("STRATA_CACHE_PLACE", "STRATA_CACHE_WORK")

        /// Of this process; `nil` when no test started it.
        static var current: Task? {
            let environment = ProcessInfo.processInfo.environment
            return environment[variables.0].map { Task(path: $0, work: environment[variables.1] ?? "") }
        }

        var environment: [String: String] { [Self.variables.0: path, Self.variables.1: work] }

        func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }

        /// Adds a line in one write, which several processes may do at once.
        func note(_ line: String = "here", in name: String) {
            let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            let bytes = Array("\(line)\n".utf8)
            _ = write(descriptor, bytes, bytes.count)
        }

        func lines(_ name: String) -> [Substring] {
            let content = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
            return String(decoding: content, as: UTF8.self).split(separator: "\n")
        }
    }

    let directory: TemporaryDirectory
    private let test: String
    private(set) var processes: [Process] = []

    /// - Parameter test: The name of the test that a started process runs.
    init(running test: String) throws {
        directory = try TemporaryDirectory()
        self.test = test
    }

    deinit { for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    private var shared: Task { Task(path: directory.path, work: "") }

    @discardableResult
    func start(_ count: Int, _ work: String = "") throws -> [Process] {
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let environment = Task(path: directory.path, work: work).environment
        let started = try (0..<count).map { _ in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = ["--testing-library", "swift-testing", "--filter", test]
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
        processes += started
        return started
    }

    func lines(_ name: String) -> [Substring] { shared.lines(name) }

    /// Makes a file that the processes look for.
    func allow(_ name: String) { shared.note(in: name) }
    func forbid(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)") }

    /// Waits until the processes have written so many lines.
    func wait(for count: Int, _ name: String) async {
        await eventuallyOnDisk("\(count) lines in '\(name)'") { lines(name).count >= count }
    }
}

/// Waits for an effect of other processes; looks at the disk, at most for a minute.
func eventuallyOnDisk(_ what: Comment, _ condition: () async -> Bool) async {
    let deadline = ContinuousClock.now + .seconds(60)
    while await !condition() {
        guard .now < deadline else {
            Issue.record("never happened: \(what)")
            return
        }
        _ = poll(nil, 0, 5)
    }
}
