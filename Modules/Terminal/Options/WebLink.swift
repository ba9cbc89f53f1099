public import ArgumentParser
public import FoundationEssentials

/// A URL as an argument: `https://example.org/page`. The rule of the field decides whether it is valid.
public struct WebLink: Sendable, Hashable, ExpressibleByArgument {
    public let url: URL

    public init?(argument: String) {
        guard let url = URL(string: argument) else { return nil }
        self.url = url
    }
}
