import RunbooksDomain
import StrataDomain
import StrataService

extension EntityTable<Runbook> {
    /// A page of the list, by title, then id.
    ///
    /// - Throws: 400 for a cursor of another list, 422 for a filter or limit out of range.
    func page(_ call: ListRunbooks, in store: any StoreReader) throws -> CursorPage<Stored<Runbook>> {
        let limit = try PageLimit.checked(call.limit, in: 1...200, default: 50)
        var conditions = try filter(call)
        if let cursor = try call.cursor.map({ try KeysetCursor($0, for: name, count: 2) }) {
            conditions.append("(title, id) > (\(cursor.values[0]), \(cursor.values[1]))")
        }
        let filter = conditions.reduce("1 = 1") { "\($0) AND \($1)" as Statement }
        return try store.page(
            of: name, "SELECT \(selection) WHERE \(filter) ORDER BY title, id", limit: limit, entity(of:)
        ) { KeysetCursor($0.title, $0.id.rawValue) }
    }

    private func filter(_ call: ListRunbooks) throws -> [Statement] {
        var check = FieldCheck()
        if let tag = call.tag, !RunbookTag.isLegal(tag) { check.refuse("tag", RunbookTag.rule) }
        if let text = call.q { check.text("q", text, bytes: 1...200) }
        try ServiceError.accepting { () throws(DomainError) in try check.orThrow("The filter is not valid.") }
        var conditions: [Statement] = []
        if let tag = call.tag { conditions.append("tags LIKE \("% \(tag) %")") }
        if let text = call.q {
            let escaped = text.lowercased().replacing(/[!%_]/) { "!\($0.output)" }
            conditions.append("searchable LIKE \("%\(escaped)%") ESCAPE '!'")
        }
        return conditions
    }
}
