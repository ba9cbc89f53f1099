import Logging
import StrataConcurrency
import StrataSystem

extension ServerProgram {
    /// The program that the static descriptions of commands and the names of settings follow: that of the current task, if it has one,
    /// otherwise the one of the process. Without either: one without features that has the name of the process.
    @TaskLocal static var current: ServerProgram =
        ofProcess.withLock { $0 }
        ?? ServerProgram(
            name: ProgramName.current, client: ProgramName.current, release: StrataVersion.current, abstract: "",
            features: { _, _ in [] })

    private static let ofProcess = Mutex<ServerProgram?>(nil)

    /// Makes it the program of the process, before anything asks for `current`. The body of a task-local value would run on another
    /// thread, and the first switch of threads opens descriptors: one that a service manager passes must be looked at before.
    func begin() { Self.ofProcess.withLock { $0 = self } }

    /// The environment variable for `name`: `ORDER_DESK_HOME` for `HOME`.
    func variable(_ name: String) -> String { ProgramName.variable(name, of: client) }

    /// The logger of a subsystem: `tides-server.database`.
    func logger(_ subsystem: String) -> Logger { Logger(label: "\(name).\(subsystem)") }

    /// What the names of its metrics begin with: `order_desk_`.
    var metricPrefix: String { String(client.map { $0.isLetter || $0.isNumber ? $0 : "_" }) + "_" }
}
