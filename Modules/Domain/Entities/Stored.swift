public import FoundationEssentials

/// An entity with id, version, time and author. On the wire it is one object; its version is also its `ETag`.
@dynamicMemberLookup
public struct Stored<Content: Entity>: Sendable, Hashable, Identifiable, EntityTagged {
    public var id: Identifier<Content>
    /// What the user wrote.
    public var content: Content
    /// The server's version; 0 until the server has the entity.
    public var version: Int
    /// When it was written last, by the clock of the server.
    public var updatedAt: Date
    /// The name of the user or host that created the entity, at that time. `nil` where the server records none, for a row from
    /// before it did, and until the server has the entity.
    public var author: String?
    /// The sync state; always `.synced` for an entity that is not in the offline store.
    public var syncState: SyncState

    /// An entity with what the server adds to it.
    public init(
        id: Identifier<Content>, _ content: Content, version: Int, updatedAt: Date, author: String? = nil,
        syncState: SyncState = .synced
    ) {
        self.id = id
        self.content = content
        self.version = version
        self.updatedAt = updatedAt
        self.author = author
        self.syncState = syncState
    }

    public var entityTag: EntityTag { EntityTag(version: version) }

    /// A value of the content.
    public subscript<Value>(dynamicMember path: KeyPath<Content, Value>) -> Value { content[keyPath: path] }
}

/// Whether the server has the state that is shown.
public enum SyncState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The server has the same state.
    case synced
    /// A local write waits in the outbox.
    case queued
    /// A conflict: edited on both sides, and a user must resolve it.
    case conflicted
    /// The server refused the local write.
    case rejected
}

extension Stored: Codable {
    private enum CodingKeys: String, CodingKey { case id, version, updatedAt, author, syncState }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(Identifier<Content>.self, forKey: .id), try Content.present(from: decoder),
            version: try container.decode(Int.self, forKey: .version),
            updatedAt: try container.decode(Date.self, forKey: .updatedAt),
            author: Content.recordsAuthor ? try container.decodeIfPresent(String.self, forKey: .author) : nil,
            syncState: try container.decodeIfPresent(SyncState.self, forKey: .syncState) ?? .synced)
    }

    /// Without `sync_state` when it is `.synced`, as on the wire; with the computed values that are sent.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
        try content.encodeServedValues(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(version, forKey: .version)
        try container.encode(updatedAt, forKey: .updatedAt)
        try container.encodeIfPresent(author, forKey: .author)
        if syncState != .synced { try container.encode(syncState, forKey: .syncState) }
        guard !Content.sentValues.isEmpty else { return }
        var computed = encoder.container(keyedBy: WireName.self)
        for sent in Content.sentValues {
            let value = sent.value(content)
            if value != .null { try computed.encode(value, forKey: WireName(sent.name)) }
        }
    }
}
