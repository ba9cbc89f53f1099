import Logging
import StrataSystem

extension ServerProgram {
    /// The program of the current task, which the static descriptions of commands and the names of settings follow. Outside of a
    /// program: one without features that has the name of the process.
    @TaskLocal static var current: ServerProgram = ServerProgram(
        name: ProgramName.current, client: ProgramName.current, release: StrataVersion.current, abstract: "",
        features: { _, _ in [] })

    /// The environment variable for `name`: `ORDER_DESK_HOME` for `HOME`.
    func variable(_ name: String) -> String { ProgramName.variable(name, of: client) }

    /// The logger of a subsystem: `tides-server.database`.
    func logger(_ subsystem: String) -> Logger { Logger(label: "\(name).\(subsystem)") }

    /// What the names of its metrics begin with: `order_desk_`.
    var metricPrefix: String { String(client.map { $0.isLetter || $0.isNumber ? $0 : "_" }) + "_" }
}
