/// The paths that orchestrators and metric collectors request every few seconds.
enum Probes {
    static let liveness = "/health/live"
    static let readiness = "/health/ready"
    static let metrics = "/metrics"

    /// - Parameter target: A path or the template of a route, with or without a query.
    static func contains(_ target: String) -> Bool {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        return [liveness, readiness, metrics].contains { $0.utf8.elementsEqual(path) }
    }
}
