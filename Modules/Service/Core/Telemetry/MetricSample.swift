/// A metric that is read at each scrape.
public struct MetricSample: Sendable, Hashable {
    public enum Kind: String, Sendable {
        case counter, gauge
    }

    public var name: String
    public var kind: Kind
    /// The `HELP` text: one sentence.
    public var help: String
    public var value: Double

    public init(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        self.name = name
        self.kind = kind
        self.help = help
        self.value = value
    }
}
