package import FoundationEssentials
package import StrataDomain

/// Written-down steps for a situation, in Markdown.
package struct Runbook: Sendable, Hashable, Identifiable {
    package typealias ID = Identifier<Runbook>

    package var id: ID
    package var title: String
    /// Markdown.
    package var body: String
    package var tags: [String]
    /// Increases with each change; the base of an update.
    package var version: Int
    package var updatedAt: Date

    package init(id: ID, title: String, body: String, tags: [String], version: Int, updatedAt: Date) {
        self.id = id
        self.title = title
        self.body = body
        self.tags = tags
        self.version = version
        self.updatedAt = updatedAt
    }
}

/// The content of a runbook that a user writes.
package struct RunbookDraft: Sendable, Hashable {
    package var title: String
    package var body: String
    package var tags: [String]

    package init(title: String, body: String, tags: [String] = []) {
        self.title = title
        self.body = body
        self.tags = tags
    }

    /// - Throws: `.validation` naming each field.
    package func validated() throws(DomainError) -> RunbookDraft {
        var check = FieldCheck()
        check.text("title", title, bytes: 1...200)
        if title.contains(where: \.isNewline) { check.refuse("title", "must be one line") }
        check.text("body", body, bytes: 1...262_144)
        if tags.count > 20 { check.refuse("tags", "must be at most 20; there are \(tags.count)") }
        for (index, tag) in tags.enumerated() {
            if !RunbookTag.isLegal(tag) { check.refuse("tags.\(index)", RunbookTag.rule) }
        }
        if Set(tags).count != tags.count { check.refuse("tags", "must not repeat") }
        try check.orThrow("The runbook is not valid.")
        return self
    }
}

/// The rule of a tag.
package enum RunbookTag {
    package static let rule = "must be 1 to 40 of a-z, 0-9 and '-'"

    package static func isLegal(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}
