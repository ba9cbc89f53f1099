import Foundation
import StrataDomain

/// What a client of a version sent and got: `wire.txt` of a recording.
///
/// `= COMMAND` begins what one command did, `==` is what it printed. `> WHO METHOD TARGET` is a request and `< STATUS` its response; header
/// fields follow with the same mark. A body is in one line, behind `>>` or `<<`, or as a JSON string behind `>"` or `<"`.
struct RecordedWire {
    struct Message {
        /// Behind the mark: `ada GET /v1/me`, `200`.
        var first = ""
        var fields: [String] = []
        var body = ""

        func value(_ name: String) -> String? {
            fields.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
        }
    }

    struct Exchange {
        var request = Message()
        var response = Message()

        var who: String { String(request.first.prefix { $0 != " " }) }
        var method: String { request.first.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
        var target: String { request.first.split(separator: " ").last.map(String.init) ?? "" }
        var path: Substring { target.prefix { $0 != "?" } }

        /// Replaces a value in target and body of the request.
        mutating func replace(_ old: String, with new: String) {
            request.first = request.first.replacing(old, with: new)
            request.body = request.body.replacing(old, with: new)
        }
    }

    struct Part {
        /// `journal list --json`; `requests` for those that no command made.
        var command: String
        /// `nil` for a command without `--json`.
        var output: String?
        var exchanges: [Exchange] = []
    }

    private(set) var parts: [Part] = []

    init(_ text: String) throws {
        for line in text.split(separator: "\n") {
            if line.hasPrefix("== ") {
                try last { $0.output = String(line.dropFirst(3)) }
            } else if line.hasPrefix("= ") {
                parts.append(Part(command: String(line.dropFirst(2))))
            } else if line.hasPrefix(">") {
                if line.hasPrefix("> "), Self.isFirst(line) { try last { $0.exchanges.append(Exchange()) } }
                try lastExchange { try Self.add(line, to: &$0.request) }
            } else {
                try lastExchange { try Self.add(line, to: &$0.response) }
            }
        }
    }

    /// A request line has three words; the name of a header field ends with a colon.
    private static func isFirst(_ line: Substring) -> Bool {
        let words = line.split(separator: " ")
        return words.count == 4 && !words[1].hasSuffix(":") && words[3].hasPrefix("/")
    }

    private static func add(_ line: Substring, to message: inout Message) throws {
        let rest = line.dropFirst(3)
        switch line.dropFirst().first {
        case "\"": message.body = try unquoted(rest)
        case ">", "<": message.body = String(rest)
        default:
            let text = String(line.dropFirst(2))
            if message.first.isEmpty { message.first = text } else { message.fields.append(text) }
        }
    }

    private static func unquoted(_ text: Substring) throws -> String {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        guard let text = value.string else { throw EndToEndError("no string: \(text)") }
        return text
    }

    private mutating func last(_ change: (inout Part) throws -> Void) throws {
        guard !parts.isEmpty else { throw EndToEndError("the recording begins with no command") }
        try change(&parts[parts.count - 1])
    }

    private mutating func lastExchange(_ change: (inout Exchange) throws -> Void) throws {
        try last { part in
            guard !part.exchanges.isEmpty else { throw EndToEndError("'\(part.command)' begins with no request") }
            try change(&part.exchanges[part.exchanges.count - 1])
        }
    }
}
