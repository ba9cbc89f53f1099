import FoundationEssentials
import StrataSystem

/// This test program, started again to run one test in a directory; the process is killed with this value.
///
/// That test has the trait `.enabled(if: Workplace.ofWorker != nil, "…")`, so that it runs in such a process only.
public final class WorkerProcess: Sendable {
    private let run: Task<Void, Never>

    /// - Parameters:
    ///   - test: The name of the test, as `--filter` takes it.
    ///   - place: Where the test works.
    ///   - variables: Environment variables besides those of this process.
    public init(running test: String, in place: Workplace, variables: [String: String] = [:]) throws {
        let program = Program(
            path: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            environment: ProcessInfo.processInfo.environment.merging(variables) { $1 }
                .merging([Workplace.variable: place.path]) { $1 }, outputLimit: 1 << 22)
        run = Task.detached {
            _ = try? await program.run(
                ["--testing-library", "swift-testing", "--filter", test], within: .seconds(600))
        }
    }

    deinit { run.cancel() }

    /// Kills the process with SIGKILL, soon.
    public func stop() { run.cancel() }

    /// Kills the process with SIGKILL; returns when it is gone.
    public func kill() async {
        stop()
        await run.value
    }

    /// Returns when the process has ended by itself.
    public func end() async { await run.value }
}
