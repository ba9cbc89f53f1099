import Logging

/// The loggers of a service, one for each subsystem.
struct ServiceLogs: Sendable {
    /// Start and stop.
    let service: Logger
    /// Requests and connections.
    let http: Logger
    let sync: Logger
    let maintenance: Logger
    let jobs: Logger

    /// - Parameters:
    ///   - logger: Of all subsystems. `nil` makes one for each: `name.http`.
    ///   - name: The label of the service.
    init(_ logger: Logger?, name: String) {
        service = logger ?? Logger(label: name)
        http = logger ?? Logger(label: "\(name).http")
        sync = logger ?? Logger(label: "\(name).sync")
        maintenance = logger ?? Logger(label: "\(name).maintenance")
        jobs = logger ?? Logger(label: "\(name).jobs")
    }
}
