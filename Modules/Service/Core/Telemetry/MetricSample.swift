/// A metric that is read at each scrape.
public struct MetricSample: Sendable, Hashable {
    /// How the value changes.
    public enum Kind: String, Sendable {
        /// A sum that only rises, or a value that rises and falls.
        case counter, gauge
    }

    /// The name, as Prometheus writes it.
    public var name: String
    /// How the value changes.
    public var kind: Kind
    /// The `HELP` text: one sentence.
    public var help: String
    /// The value now.
    public var value: Double

    /// A value with the sentence that explains it.
    public init(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        self.name = name
        self.kind = kind
        self.help = help
        self.value = value
    }
}
