import FoundationEssentials
import StrataDomain

/// Fields as the text of a JSON object, the form they are stored in.
enum FieldText {
    static func encode(_ fields: [String: JSONValue]) throws -> String {
        do { return String(decoding: try WireJSON.encode(fields), as: UTF8.self) } catch {
            throw DomainError.validation("The fields cannot be written as JSON; a number may be infinite.")
        }
    }

    static func decode(_ text: String) throws -> [String: JSONValue] {
        try WireJSON.decode([String: JSONValue].self, from: Data(text.utf8))
    }
}
