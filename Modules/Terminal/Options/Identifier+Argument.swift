public import ArgumentParser
public import StrataDomain

extension Identifier: ExpressibleByArgument {
    public init?(argument: String) { self.init(parameter: argument) }
}

extension SyncConflict.Side: ExpressibleByArgument {}
