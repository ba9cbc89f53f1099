import FoundationEssentials

/// Finds the number that does not fit its type.
///
/// Foundation reports one, such as 1.5 or 10¹⁹ for an integer, as a document that is not valid JSON, and names no key.
/// So each candidate is replaced by a text in turn: the decoder's error then names the key of the candidate.
enum NumberFault {
    /// A larger document, or one with more candidates, is not searched; its error names no key.
    private static let maxBytes = 64 * 1024
    private static let maxSuspects = 16

    private enum Step {
        case key(String)
        case index(Int)
    }

    static func find<Value: Decodable>(
        _ type: Value.Type, in bytes: Data, as form: JSONForm
    ) -> WireJSON.Failure? {
        guard bytes.count <= maxBytes else { return nil }
        let document: JSONValue
        do { document = try JSONForm.snakeCase.read(JSONValue.self, from: bytes) } catch {
            return error.kind == .mismatch ? error.expecting("a number that fits", in: type) : nil
        }
        var suspects: [[Step]] = []
        collect(document, [], into: &suspects)
        for path in suspects.prefix(maxSuspects) {
            guard let probe = try? WireJSON.encode(replaced(document, path[...])) else { continue }
            do { _ = try form.read(type, from: probe) } catch {
                if error.kind == .mismatch, error.expected == "an integer" { return error }
            }
        }
        return .mismatch(in: type)
    }

    /// The paths of numbers that are no `Int`.
    private static func collect(_ value: JSONValue, _ path: [Step], into suspects: inout [[Step]]) {
        guard suspects.count <= maxSuspects else { return }
        switch value {
        case .number: suspects.append(path)
        case .array(let elements):
            for (index, element) in elements.enumerated() { collect(element, path + [.index(index)], into: &suspects) }
        case .object(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                collect(member, path + [.key(key)], into: &suspects)
            }
        default: return
        }
    }

    private static func replaced(_ value: JSONValue, _ path: ArraySlice<Step>) -> JSONValue {
        switch (value, path.first) {
        case (.object(var members), .key(let key)?):
            members[key] = members[key].map { replaced($0, path.dropFirst()) }
            return .object(members)
        case (.array(var elements), .index(let index)?):
            elements[index] = replaced(elements[index], path.dropFirst())
            return .array(elements)
        default: return .string("")
        }
    }
}
