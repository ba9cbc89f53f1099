import FoundationEssentials
import HTTPTypes
public import HummingbirdTesting
import NIOCore
import StrataDomain
public import StrataService

/// Requests to a backend, its responses and its rows as text, for a comparison with a `Recording`.
///
/// Values that are random get names in the order in which they appear, such as `<id-1>`; a later request may use them.
///
/// ```swift
/// var wire = backend.transcript()
/// try await wire.send("POST", "/v1/notes", ["Authorization": "Bearer ada"], #"{"text":"a"}"#)
/// try await wire.send("GET", "/v1/notes/<id-1>", ["Authorization": "Bearer ada"])
/// #expect(try Recording("Notes/responses.txt").difference(from: wire.text) == nil)
/// ```
public struct WireTranscript: Sendable {
    /// All requests and responses so far.
    public private(set) var text = ""
    private let client: any TestClientProtocol
    private var names: [(name: String, value: String)] = []

    /// - Parameter client: What Hummingbird gives the body of a test.
    public init(client: any TestClientProtocol) { self.client = client }

    /// Sends a request and adds it with its response.
    public mutating func send(
        _ method: String, _ target: String, _ headers: [String: String] = [:], _ body: String? = nil
    ) async throws {
        var fields = HTTPFields()
        if body != nil { fields[.contentType] = "application/json" }
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = valued(value) }
        }
        let response = try await client.executeRequest(
            uri: valued(target), method: HTTPRequest.Method(method) ?? .get, headers: fields,
            body: body.map { ByteBuffer(string: valued($0)) })
        text += "\(method) \(target)\n"
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\n" }
        if let body { text += "\(body)\n" }
        text += "\(response.status.code)\n"
        let answer = String(buffer: response.body)
        // The body first: it has the names that `Link` repeats.
        let shown = named(answer)
        for name in ["Allow", "Cache-Control", "Content-Type", "ETag", "Link", "Location", "WWW-Authenticate"] {
            let value = HTTPField.Name(name).flatMap { response.headers[$0] }
            if let value { text += "\(name): \(Self.isHash(value) ? "\"<hash>\"" : named(value))\n" }
        }
        text += shown.isEmpty ? "\n" : "\(shown)\n\n"
    }

    /// Whether it is the tag of a list, which follows from ids that are random.
    private static func isHash(_ tag: String) -> Bool {
        tag.utf8.count == 18 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            && tag.dropFirst().dropLast().allSatisfy(\.isHexDigit)
    }

    /// Adds schema and rows of `tables` as SQL.
    ///
    /// - Parameter hidden: Columns whose values are random, such as password hashes.
    public mutating func record(_ tables: [String], of store: any Store, hiding hidden: Set<String> = []) async throws {
        for table in tables {
            let lines = try await store.read { reader in
                let schema = try reader.rows(
                    "SELECT sql FROM sqlite_master WHERE tbl_name = \(table) AND sql IS NOT NULL ORDER BY name"
                ).map { try $0.text("sql") + ";" }
                let columns = try reader.rows("SELECT name FROM pragma_table_info(\(table))").map {
                    try $0.text("name")
                }
                let values = columns.map {
                    hidden.contains($0)
                        ? "'''<\($0)>'''" : "replace(quote(\($0)), char(10), '''||char(10)||''')"
                }
                let select = "SELECT \(values.joined(separator: "||','||")) AS line FROM \(table) ORDER BY rowid"
                return try schema
                    + reader.rows(Statement(stringLiteral: select)).map {
                        "INSERT INTO \(table) (\(columns.joined(separator: ","))) VALUES (\(try $0.text("line")));"
                    }
            }
            for line in lines { text += "\(named(line))\n" }
        }
    }

    /// Puts the rows of a recorded sample into a store of the present version.
    ///
    /// - Parameter values: What stands for a name in the sample. Default: ids have the number of their name.
    public static func restore(_ sample: String, _ values: [String: String] = [:], in store: any Store) async throws {
        var sample = sample
        for (name, value) in values { sample = sample.replacing("<\(name)>", with: value) }
        sample = sample.replacing(/<id-([0-9]+)>/) { id(Int($0.1) ?? 0) }
        let rows = sample.split(separator: "\n").filter { $0.hasPrefix("INSERT INTO ") }.map(String.init)
        try await store.write { transaction in
            for row in rows { try transaction.execute(Statement(stringLiteral: String(row.dropLast()))) }
        }
    }

    /// The id that `restore` puts in the place of `<id-N>`.
    public static func id(_ number: Int) -> String {
        "00000000-0000-7000-8000-\(String(1_000_000_000_000 + number).suffix(12))"
    }

    private func valued(_ text: String) -> String {
        names.reduce(text) { $0.replacing("<\($1.name)>", with: $1.value) }
    }

    private mutating func named(_ original: String) -> String {
        var text = original.replacing(/"request_id":"[^"]*"/, with: #""request_id":"""#)
        for match in text.matches(of: /"next_cursor":"([^"]+)"/) {
            let cursor = String(match.1)
            let base64 = cursor.replacing("-", with: "+").replacing("_", with: "/")
            let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
            name(cursor, "cursor")
            self.text += "cursor \(named(String(decoding: Data(base64Encoded: padded) ?? Data(), as: UTF8.self)))\n"
        }
        for match in text.matches(of: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/) {
            name(String(match.0), "id")
        }
        for match in text.matches(of: /eyJ[\w\-]+\.[\w\-]+\.[\w\-]+/) { name(String(match.0), "token") }
        for match in text.matches(of: /sl[hr]_[\w\-]{20,}/) { name(String(match.0), "secret") }
        for (name, value) in names { text = text.replacing(value, with: "<\(name)>") }
        return text
    }

    private mutating func name(_ value: String, _ kind: String) {
        guard !names.contains(where: { $0.value == value }) else { return }
        names.append(("\(kind)-\(names.count { $0.name.hasPrefix(kind) } + 1)", value))
    }
}
