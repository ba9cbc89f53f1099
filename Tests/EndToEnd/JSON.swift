import Foundation

/// JSON that a program printed, read by names and places: `document["attempts"][0]["outcome"].text`.
// Sendable proof: what JSONSerialization returns is immutable and is only read.
struct JSON: @unchecked Sendable {
    private let value: Any?

    init(_ text: String) throws {
        do { value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) } catch {
            throw EndToEndError("no JSON: \(error): \(text)")
        }
    }

    private init(value: Any?) { self.value = value }

    subscript(name: String) -> JSON { JSON(value: (value as? [String: Any])?[name]) }
    subscript(place: Int) -> JSON {
        let list = list
        return list.indices.contains(place) ? list[place] : JSON(value: nil)
    }

    var exists: Bool { value != nil && !(value is NSNull) }
    var text: String? { value as? String }
    var int: Int? { value as? Int }
    var number: Double? { value as? Double }
    var flag: Bool? { value as? Bool }
    var list: [JSON] { (value as? [Any])?.map { JSON(value: $0) } ?? [] }
    var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
    /// The members of an object whose values are numbers.
    var counts: [String: Int] { value as? [String: Int] ?? [:] }
}
