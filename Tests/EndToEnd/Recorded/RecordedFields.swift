import Foundation
import StrataDomain

/// Compares JSON of two versions: what the older one has must be there, with its type and meaning; more may be there.
enum RecordedFields {
    /// Members whose values are of one run: ids that the server gives, times, tokens, positions, versions; and texts that may change.
    private static func isOfOneRun(_ name: String) -> Bool {
        let names: Set = [
            "id", "at", "cursor", "version", "head", "up_to", "key", "detail", "title", "message", "request_id",
            "verification_uri", "tokens",
            "server", "path", "user_code", "verification_uri_complete", "interval",
        ]
        return names.contains(name) || ["_at", "_token", "_code", "_in"].contains { name.hasSuffix($0) }
    }

    /// A line for each difference; JSON documents a line each are compared line by line.
    static func differences(recorded: String, found: String) throws -> [String] {
        let (old, new) = (recorded.split(separator: "\n"), found.split(separator: "\n"))
        if old.count != new.count { return ["\(old.count) documents were recorded, \(new.count) are found"] }
        return try zip(old, new).flatMap { try differences(value($0), value($1), at: "") }
    }

    /// What the members `names` are in the one document, by what they are in the other: ids and places that a run gives.
    static func renamed(_ names: Set<String>, recorded: String, found: String) throws -> [String: String] {
        var result: [String: String] = [:]
        for (old, new) in zip(recorded.split(separator: "\n"), found.split(separator: "\n")) {
            try collect(names, value(old), value(new), into: &result)
        }
        return result
    }

    private static func collect(
        _ names: Set<String>, _ old: JSONValue, _ new: JSONValue, into result: inout [String: String]
    ) {
        switch (old, new) {
        case (.object(let old), .object(let new)):
            for (name, value) in old {
                guard let other = new[name] else { continue }
                if names.contains(name), let before = value.string, let now = other.string {
                    result[before] = now
                } else {
                    collect(names, value, other, into: &result)
                }
            }
        case (.array(let old), .array(let new)):
            for (value, other) in zip(old, new) { collect(names, value, other, into: &result) }
        default: break
        }
    }

    private static func value(_ text: Substring) throws -> JSONValue {
        do { return try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) } catch {
            throw EndToEndError("no JSON: \(text)")
        }
    }

    private static func differences(_ old: JSONValue, _ new: JSONValue, at place: String) -> [String] {
        switch (old, new) {
        case (.object(let old), .object(let new)):
            return old.sorted { $0.key < $1.key }.flatMap { name, value in
                guard let other = new[name] else { return ["\(place).\(name) is gone"] }
                return isOfOneRun(name) && kind(value) == kind(other)
                    ? [] : differences(value, other, at: "\(place).\(name)")
            }
        case (.array(let old), .array(let new)):
            if old.count != new.count { return ["\(place) has \(new.count) elements, not \(old.count)"] }
            return zip(old, new).enumerated().flatMap { number, pair in
                differences(pair.0, pair.1, at: "\(place)[\(number)]")
            }
        default: return old == new ? [] : ["\(place) is \(new), not \(old)"]
        }
    }

    private static func kind(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "bool"
        case .integer, .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
