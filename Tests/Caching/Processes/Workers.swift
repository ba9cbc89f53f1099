import Foundation
import StrataSystem
import StrataTesting
import Testing

/// Processes that share one directory. They tell of themselves by lines in files, and wait for files.
final class Workers {
    private static let variable = "STRATA_CACHE_WORK"

    /// One word about the work of this process; empty in most.
    static var work: String { ProcessInfo.processInfo.environment[variable] ?? "" }

    let directory: TemporaryDirectory
    private let test: String
    private(set) var processes: [WorkerProcess] = []

    /// - Parameter test: The name of the test that a started process runs.
    init(running test: String) throws {
        directory = try TemporaryDirectory()
        self.test = test
    }

    @discardableResult
    func start(_ count: Int, _ work: String = "") throws -> [WorkerProcess] {
        let started = try (0..<count).map { _ in
            try WorkerProcess(running: test, in: directory.workplace, variables: [Self.variable: work])
        }
        processes += started
        return started
    }

    func lines(_ name: String) -> [String] { directory.workplace.lines(name) }

    /// Makes a file that the processes look for.
    func allow(_ name: String) { directory.workplace.note("here", in: name) }
    func forbid(_ name: String) throws { try directory.workplace.remove(name) }

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
