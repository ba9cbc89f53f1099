package import StrataDomain

/// Written-down steps for a situation. `Stored` adds id and version.
package struct Runbook: Entity {
    package static let noun = "runbook"
    package static let collection = "runbooks"
    package static let listOrder: String? = "title"
    package static let fields: [EntityField<Runbook>] = [
        .init("title", \.title, .line(1...200)).searchable.sortable,
        .init("body", \.body, .lines(1...bodyLimit)).named("body", option: "file").searchable.read(.file),
        .init("tags", \.tags, .tags).named("tags", option: "tag").filterable(as: "tag").read(.repeatedOption),
    ]
    /// A search finds text in any case, also beyond ASCII: engines differ there, so Swift lowers the letters of a column.
    package static let searchColumn: String? = "searchable"
    package static func searchText(_ text: String) -> String { text.lowercased() }
    /// Most bytes of a body.
    package static let bodyLimit = 262_144

    package var title: String
    /// Markdown.
    package var body: String
    package var tags: [String]

    package init(title: String, body: String, tags: [String] = []) {
        self.title = title
        self.body = body
        self.tags = tags
    }
}

/// The use cases of runbooks.
package typealias Runbooks = EntityUseCases<Runbook>

extension Runbook {
    /// `tags` may be left out.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        body = try container.decode(String.self, forKey: .body)
        tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    }
}
