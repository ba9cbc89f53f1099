import StrataDomain

/// The entities that the rows of a file name. Each text is looked up once.
struct ImportReferences<Content: Entity> {
    private struct Name: Hashable {
        let field: String
        let text: String
    }

    private let entities: EntityUseCases<Content>
    private let fields = Content.fields.filter { $0.reference != nil }
    private var known: [Name: Result<JSONValue, DomainError>] = [:]

    init(_ entities: EntityUseCases<Content>) { self.entities = entities }

    /// The rows with the ids of what they name. Flaws take the place of a row whose text names nothing, or several.
    ///
    /// - Throws: When the other entities cannot be read.
    mutating func resolved(_ items: [ImportReader<Content>.Item]) async throws -> [ImportReader<Content>.Item] {
        if fields.isEmpty { return items }
        var result: [ImportReader<Content>.Item] = []
        for item in items {
            guard case .row(let row) = item else {
                result.append(item)
                continue
            }
            result.append(try await resolved(row))
        }
        return result
    }

    private mutating func resolved(_ row: ImportRow<Content>) async throws -> ImportReader<Content>.Item {
        var (row, flaws) = (row, [ImportFlaw]())
        for field in fields {
            guard let text = row.fields[field.name]?.string else { continue }
            switch try await id(of: text, in: field) {
            case .success(let id): row.fields[field.name] = id
            case .failure(let error):
                flaws.append(ImportFlaw(line: row.line, column: field.name, value: text, reason: error.description))
            }
        }
        return flaws.isEmpty ? .row(row) : .flaws(flaws)
    }

    private mutating func id(
        of text: String, in field: EntityField<Content>
    ) async throws -> Result<JSONValue, DomainError> {
        let name = Name(field: field.name, text: text)
        if let result = known[name] { return result }
        var result: Result<JSONValue, DomainError>
        do {
            result = .success(try await entities.resolved([field.name: .string(text)])[field.name] ?? .string(text))
        } catch let error as DomainError where [.notFound, .validation].contains(error.kind) {
            // An id may be that of another row of the file.
            let mayFollow = field.reference?.target == Content.self && error.kind == .notFound
            result = mayFollow ? .success(.string(text)) : .failure(error)
        }
        known[name] = result
        return result
    }
}
