public import ArgumentParser
public import FoundationEssentials

extension UUID: @retroactive ExpressibleByArgument {
    public init?(argument: String) { self.init(uuidString: argument) }
}

extension URL: @retroactive ExpressibleByArgument {
    public init?(argument: String) { self.init(string: argument) }
}
