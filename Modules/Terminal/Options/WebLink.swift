public import ArgumentParser
public import FoundationEssentials

/// An address as an argument: `https://example.org/page`. Whether it is one of the web is for the field's rule.
public struct WebLink: Sendable, Hashable, ExpressibleByArgument {
    public let url: URL

    public init?(argument: String) {
        guard let url = URL(string: argument) else { return nil }
        self.url = url
    }
}
