package import FoundationEssentials
package import StrataDomain

/// One login on one device.
package struct Session: Resource {
    package typealias ID = Identifier<Session>
    package static let noun = "session"
    package static let path = "sessions"

    package var id: ID
    /// The name that the device gave at login.
    package var device: String
    package var createdAt: Date
    package var lastUsedAt: Date
    /// Whether it is the session of this request.
    package var isCurrent: Bool

    private enum CodingKeys: String, CodingKey {
        case id, device, createdAt, lastUsedAt
        case isCurrent = "current"
    }

    package init(id: ID, device: String, createdAt: Date, lastUsedAt: Date, isCurrent: Bool) {
        self.id = id
        self.device = device
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.isCurrent = isCurrent
    }
}
