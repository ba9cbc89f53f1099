public import FoundationEssentials

/// An entity as it is kept, with what keeping it adds; on the wire one object, whose version is also its `ETag`.
@dynamicMemberLookup
public struct Stored<Content: Entity>: Sendable, Hashable, Identifiable, EntityTagged {
    public var id: Identifier<Content>
    public var content: Content
    /// The server's version; 0 while it is known here only.
    public var version: Int
    public var updatedAt: Date
    /// What is still to be settled about it; always `.synced` where nothing is kept to be sent later.
    public var syncState: SyncState

    public init(
        id: Identifier<Content>, _ content: Content, version: Int, updatedAt: Date, syncState: SyncState = .synced
    ) {
        self.id = id
        self.content = content
        self.version = version
        self.updatedAt = updatedAt
        self.syncState = syncState
    }

    public var entityTag: EntityTag { EntityTag(version: version) }

    public subscript<Value>(dynamicMember path: KeyPath<Content, Value>) -> Value { content[keyPath: path] }
}

/// How far the server agrees with what is shown.
public enum SyncState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The server has it as it is shown.
    case synced
    /// Written here; on its way to the server.
    case queued
    /// Edited on both sides; a person decides.
    case conflicted
    /// Refused by the server.
    case rejected
}

extension Stored: Codable {
    private enum CodingKeys: String, CodingKey { case id, version, updatedAt, syncState }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(Identifier<Content>.self, forKey: .id), try Content(from: decoder),
            version: try container.decode(Int.self, forKey: .version),
            updatedAt: try container.decode(Date.self, forKey: .updatedAt),
            syncState: try container.decodeIfPresent(SyncState.self, forKey: .syncState) ?? .synced)
    }

    /// `sync_state` is left out where there is nothing to settle, as on the wire.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(version, forKey: .version)
        try container.encode(updatedAt, forKey: .updatedAt)
        if syncState != .synced { try container.encode(syncState, forKey: .syncState) }
    }
}
