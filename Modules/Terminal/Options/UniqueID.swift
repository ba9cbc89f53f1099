public import ArgumentParser
public import FoundationEssentials

/// A UUID as an argument, in upper or lower case.
public struct UniqueID: Sendable, Hashable, ExpressibleByArgument {
    public let uuid: UUID

    public init?(argument: String) {
        guard let uuid = UUID(uuidString: argument) else { return nil }
        self.uuid = uuid
    }
}
