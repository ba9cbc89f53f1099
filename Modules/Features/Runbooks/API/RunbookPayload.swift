package import FoundationEssentials
package import RunbooksDomain
package import StrataDomain

/// A runbook on the wire; its version is also its `ETag`.
package struct RunbookPayload: Codable, Sendable, Hashable, EntityTagged {
    package var id: Runbook.ID
    package var title: String
    package var body: String
    package var tags: [String]
    package var version: Int
    package var updatedAt: Date

    package var entityTag: EntityTag { EntityTag(version: version) }

    package init(_ runbook: Runbook) {
        id = runbook.id
        title = runbook.title
        body = runbook.body
        tags = runbook.tags
        version = runbook.version
        updatedAt = runbook.updatedAt
    }

    package var runbook: Runbook {
        Runbook(id: id, title: title, body: body, tags: tags, version: version, updatedAt: updatedAt)
    }
}

/// The body of a create or update. `tags` may be omitted.
package struct RunbookDraftPayload: Codable, Sendable, Hashable {
    package var title: String
    package var body: String
    package var tags: [String]?

    package init(_ draft: RunbookDraft) {
        title = draft.title
        body = draft.body
        tags = draft.tags
    }

    package var draft: RunbookDraft { RunbookDraft(title: title, body: body, tags: tags ?? []) }
}
