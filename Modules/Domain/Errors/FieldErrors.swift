/// The refused fields in a failure, and what it says beside them.
struct FieldErrors {
    /// Empty when no field is named.
    private(set) var all: [FieldError] = []
    private var seen: Set<FieldError> = []
    /// The messages of entries that name no field.
    private(set) var messages: [String] = []

    /// - Parameters:
    ///   - members: Of the root.
    ///   - inner: Of the object that holds the explanation.
    ///   - isRejection: Whether the status refuses the input, so that a root of nothing but lists names the fields.
    init(in members: [String: JSONValue], _ inner: [String: JSONValue], isRejection: Bool) {
        let lists = [
            members["errors"], inner["errors"], members["detail"], inner["details"], members["details"],
            members["details"]?.object?["causes"], members["violations"], members["invalid-params"],
            members["invalid_params"],
        ]
        for case .array(let items) in lists { for item in items { read(item) } }
        for names in [members["errors"]?.object, inner["errors"]?.object] { read(names ?? [:]) }
        if let param = inner["param"]?.string?.nonEmpty, let message = inner["message"]?.string?.nonEmpty {
            add(param, message)
        }
        if all.isEmpty, messages.isEmpty, isRejection, Self.isListOfFields(members) { read(members) }
    }

    /// Django: `{"name": ["This field is required."]}`.
    private static func isListOfFields(_ members: [String: JSONValue]) -> Bool {
        !members.isEmpty
            && members.values.allSatisfy { value in
                guard case .array(let items) = value else { return false }
                return !items.isEmpty && items.allSatisfy { $0.string != nil }
            }
    }

    private mutating func add(_ field: String, _ message: String) {
        let error = FieldError(field: field, message: message)
        if seen.insert(error).inserted { all.append(error) }
    }

    /// Names with one message (Jira) or several (ASP.NET, Laravel, Rails).
    private mutating func read(_ names: [String: JSONValue]) {
        for (name, value) in names.sorted(by: { $0.key < $1.key }) {
            let items = if case .array(let items) = value { items } else { [value] }
            let texts = items.compactMap { $0.string ?? $0.object.flatMap(Self.message) }.compactMap(\.nonEmpty)
            if !texts.isEmpty { add(name, texts.joined(separator: " ")) }
        }
    }

    private mutating func read(_ entry: JSONValue) {
        if let text = entry.string?.nonEmpty { messages.append(text) }
        guard let members = entry.object else { return }
        // Google: a detail of the type BadRequest.
        if case .array(let violations) = members["fieldViolations"] {
            for violation in violations { read(violation) }
            return
        }
        guard let message = Self.message(members) else { return }
        guard let field = Self.field(members) else { return messages.append(message) }
        add(field, message)
    }

    private static let names = ["field", "param", "parameter", "propertyPath", "property", "attribute", "path"]
    private static let texts = ["message", "defaultMessage", "msg", "detail", "description", "title", "reason"]

    private static func field(_ members: [String: JSONValue]) -> String? {
        if case .array(let place) = members["loc"] { return path(place) }
        if let source = members["source"]?.object {
            if let pointer = source["pointer"]?.string { return path(pointer) }
            if let parameter = source["parameter"]?.string?.nonEmpty { return parameter }
        }
        // GitHub names the resource alone where a rule is over several fields; an RFC 7807 example has name and reason.
        let others = members["reason"] == nil ? ["resource"] : ["name", "resource"]
        return (names + others).lazy.compactMap { members[$0]?.string?.nonEmpty }.first
    }

    /// FastAPI: `["body", "item", "price"]`; the first names the part of the request.
    private static func path(_ place: [JSONValue]) -> String? {
        let keys = place.compactMap { key in
            if case .integer(let index) = key { String(index) } else { key.string }
        }
        let isPart = keys.count > 1 && ["body", "query", "path", "header", "cookie"].contains(keys[0])
        return (isPart ? keys.dropFirst() : keys[...]).joined(separator: ".").nonEmpty
    }

    /// JSON:API: `/data/attributes/name`.
    private static func path(_ pointer: String) -> String? {
        var keys = pointer.split(separator: "/")
        if keys.first == "data" { keys.removeFirst() }
        if keys.first == "attributes" || keys.first == "relationships" { keys.removeFirst() }
        return keys.joined(separator: ".").nonEmpty
    }

    /// The text of an entry; without one, its code in words: `missing field` of `missing_field`.
    private static func message(_ members: [String: JSONValue]) -> String? {
        if let text = texts.lazy.compactMap({ members[$0]?.string?.nonEmpty }).first { return text }
        return members["code"]?.string?.nonEmpty.map { $0.replacing("_", with: " ") }
    }
}
