import ArgumentParser
import FoundationEssentials
import StrataDomain

/// The forms of an entity, from its fields.
struct EntityForm<Content: Entity> {
    /// Times are read and written as the console shows them.
    let times: TimeText
    let clock: any WallClock

    // MARK: - Making

    func add(host: String) -> BrowseForm {
        let given = Content.completed([:], NewEntityContext(now: clock.now, host: host))
        let fields = Content.fields.map { self.field($0, given[$0.name] ?? .null) }
        return BrowseForm(.add, title: "Add one \(Content.noun)", fields)
    }

    func edit(_ item: Stored<Content>) -> BrowseForm {
        let fields = Content.fields.map { self.field($0, $0.value(item.content)) }
        return BrowseForm(.edit(id: item.id.rawValue), title: "Edit \(item.id.rawValue)", fields)
    }

    /// - Parameter texts: Those that are there, by `BrowseForm.Field.name`.
    func filter(_ texts: [String: String]) -> BrowseForm {
        let filters = Content.fields.filter(\.isFilterable).map { field in
            BrowseForm.Field(
                field.filterName, label: field.filterOption, hint: field.argumentText, choices: Self.choices(field),
                initial: texts[field.filterName] ?? "")
        }
        let bounds = Content.fields.compactMap { field in
            field.lowerBoundName.map { name in
                BrowseForm.Field(
                    name, label: LowerBounds.option(field),
                    hint: field.kind == .time ? TimeInput.startForms : field.argumentText, initial: texts[name] ?? "")
            }
        }
        return BrowseForm(.filter, title: "Only \(Content.plural) with", filters + bounds)
    }

    /// A redacted value is not shown; what is typed replaces it.
    private func field(_ field: EntityField<Content>, _ value: JSONValue) -> BrowseForm.Field {
        BrowseForm.Field(
            field.name, label: field.label,
            hint: field.argumentText + (field.isRedacted ? "; empty keeps the hidden value" : ""),
            choices: Self.choices(field), isLong: field.isLong, initial: field.isRedacted ? "" : text(field, value))
    }

    private static func choices(_ field: EntityField<Content>) -> [String]? {
        field.choices ?? (field.kind == .flag ? ["true", "false"] : nil)
    }

    private func text(_ field: EntityField<Content>, _ value: JSONValue) -> String {
        if field.kind == .time, let text = value.string, let date = RFC3339.date(from: text) {
            return times.point(date)
        }
        return field.cell(value) ?? ""
    }

    // MARK: - Reading

    /// The values of the fields that were changed; none is `.null`.
    ///
    /// - Throws: `.validation` that names each field with a text of another type.
    func values(of form: BrowseForm) throws(DomainError) -> [String: JSONValue] {
        var (values, errors): ([String: JSONValue], [FieldError]) = ([:], [])
        for typed in form.fields where typed.isChanged {
            guard let field = Content.fields.first(where: { $0.name == typed.name }) else { continue }
            let text = typed.editor.text
            // An empty text is no value where there need not be one.
            if text.isEmpty, field.mayBeOmitted {
                values[field.name] = .null
                continue
            }
            do { values[field.name] = try reading { try read(field, text) } } catch {
                errors.append(FieldError(field: field.name, message: "\(error)"))
            }
        }
        guard errors.isEmpty else { throw .validation("Some fields cannot be read.", fields: errors) }
        return values
    }

    private func read(_ field: EntityField<Content>, _ text: String) throws -> JSONValue {
        if field.reference == nil, let value = field.value(ofCell: text) { return value }
        return try field.read(text)
    }

    /// The list with a search and filters.
    ///
    /// - Parameter texts: By `BrowseForm.Field.name`.
    /// - Throws: As `values`.
    func query(search: String, _ texts: [String: String]) throws(DomainError) -> EntityQuery<Content> {
        var query = EntityQuery<Content>(search: search.isEmpty ? nil : search)
        var errors: [FieldError] = []
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            do {
                if let field = Content.fields.first(where: { $0.isFilterable && $0.filterName == name }) {
                    query.filters[field.name] = try reading { try FilterValues.read(field)(text) }
                } else if let field = Content.fields.first(where: { $0.lowerBoundName == name }) {
                    query.lowerBounds[field.name] = try reading { try LowerBounds.read(field)(text) }
                }
            } catch { errors.append(FieldError(field: name, message: "\(error)")) }
        }
        guard errors.isEmpty else { throw .validation("Some filters cannot be read.", fields: errors) }
        return query
    }

    private func reading<Value>(_ body: () throws -> Value) throws -> Value {
        try TimeInput.$current.withValue(TimeInput(clock: clock, times: times)) { try body() }
    }
}
