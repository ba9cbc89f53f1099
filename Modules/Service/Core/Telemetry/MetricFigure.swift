/// A figure that is looked up when `/metrics` is read.
public struct MetricFigure: Sendable, Hashable {
    public enum Kind: String, Sendable {
        case counter, gauge
    }

    public var name: String
    public var kind: Kind
    /// What it counts, in a sentence.
    public var help: String
    public var value: Double

    public init(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        self.name = name
        self.kind = kind
        self.help = help
        self.value = value
    }
}
