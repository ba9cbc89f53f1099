package import FoundationEssentials
package import StrataDomain

/// One login on one device.
package struct Session: Sendable, Hashable, Identifiable {
    package typealias ID = Identifier<Session>

    package var id: ID
    /// What the device called itself at login.
    package var device: String
    package var createdAt: Date
    package var lastUsedAt: Date
    /// Whether it is the session of this call.
    package var isCurrent: Bool

    package init(id: ID, device: String, createdAt: Date, lastUsedAt: Date, isCurrent: Bool) {
        self.id = id
        self.device = device
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.isCurrent = isCurrent
    }
}

/// A key for a machine: may append entries, nothing else.
package struct HostToken: Sendable, Hashable, Identifiable {
    package typealias ID = Identifier<HostToken>

    /// Length of a name, in bytes of UTF-8.
    package static let nameBytes = 1...100

    package var id: ID
    /// The host it speaks for.
    package var name: String
    package var createdAt: Date
    package var lastUsedAt: Date?

    package init(id: ID, name: String, createdAt: Date, lastUsedAt: Date?) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}
