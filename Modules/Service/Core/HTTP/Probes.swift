import StrataDomain

/// What orchestrators and collectors ask every few seconds: health and metrics.
enum Probes {
    private static let paths = [
        GetLiveness.route.template, GetReadiness.route.template, MetricsRoute.route.template,
    ]

    /// - Parameter target: A path or a route's template, with or without a query.
    static func contains(_ target: String) -> Bool { paths.contains(String(target.prefix { $0 != "?" })) }
}
