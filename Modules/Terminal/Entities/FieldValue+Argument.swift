public import ArgumentParser
public import FoundationEssentials

// Neither the types nor the protocol are ours; options of features have these types, and no module of ours says otherwise.
// swift-format-ignore: AvoidRetroactiveConformances
extension UUID: @retroactive ExpressibleByArgument {
    public init?(argument: String) { self.init(uuidString: argument) }
}

// swift-format-ignore: AvoidRetroactiveConformances
extension URL: @retroactive ExpressibleByArgument {
    public init?(argument: String) { self.init(string: argument) }
}
