/// A link in a `Link` field (RFC 8288, section 3).
///
/// It is read as leniently as appendix B.2 of the RFC says: a damaged link ends the list, and what stood before it counts.
public struct WebLink: Sendable, Hashable {
    /// The reference as it stands in the field. It is relative to the URL of the response.
    public let target: String
    /// The relation types of the first `rel`, in lower case; empty without one.
    public let relations: [String]
    /// The parameters, with names in lower case; of a repeated one the first.
    public let parameters: [String: String]

    /// The resource that the link is about, where that is not the response's own.
    public var anchor: String? { parameters["anchor"] }

    init(target: String, parameters: [String: String]) {
        self.target = target
        self.parameters = parameters
        relations = (parameters["rel"] ?? "").split(whereSeparator: { " \t".contains($0) }).map { $0.lowercased() }
    }

    /// The links of one field value, in order.
    public static func links(in value: String) -> [WebLink] {
        var rest = value.utf8[...]
        var links: [WebLink] = []
        while true {
            rest = rest.drop { $0.isFieldWhitespace || $0 == FieldList.comma }
            guard rest.popFirst() == UInt8(ascii: "<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
                return links
            }
            let target = String(Substring(rest[..<end])).trimmed
            rest = rest[rest.index(after: end)...]
            links.append(WebLink(target: target, parameters: parameters(&rest)))
            // What stands between the last parameter and the comma says nothing.
            rest = rest.drop { $0 != FieldList.comma }
        }
    }

    /// Reads the parameters up to the comma that ends the link (appendix B.3).
    private static func parameters(_ rest: inout Substring.UTF8View) -> [String: String] {
        var found: [String: String] = [:]
        while true {
            rest = rest.drop(while: \.isFieldWhitespace)
            guard rest.first == FieldList.semicolon else { return found }
            rest = rest.dropFirst().drop(while: \.isFieldWhitespace)
            let name = rest.prefix { !$0.isFieldWhitespace && !"=;,".utf8.contains($0) }
            rest = rest.dropFirst(name.count).drop(while: \.isFieldWhitespace)
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: \.isFieldWhitespace)
                value = rest.first == UInt8(ascii: "\"") ? quoted(&rest) : plain(&rest)
            }
            let key = String(Substring(name)).lowercased()
            if !key.isEmpty, found[key] == nil { found[key] = value }
        }
    }

    private static func plain(_ rest: inout Substring.UTF8View) -> String {
        let value = rest.prefix { $0 != FieldList.semicolon && $0 != FieldList.comma }
        rest = rest.dropFirst(value.count)
        return String(Substring(value)).trimmed
    }

    /// A quoted string; one without an end reaches to the end of the field (appendix B.4).
    private static func quoted(_ rest: inout Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                if let next = rest.popFirst() { bytes.append(next) }
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HeaderFields {
    /// The links of all `Link` fields, in order (RFC 8288).
    public var links: [WebLink] { values("Link").flatMap(WebLink.links) }

    /// The target of the first link with this relation type, such as `next`. A link that is about another resource does not count.
    ///
    /// - Parameter relation: Compared without case.
    public func link(_ relation: String) -> String? {
        links.first { $0.anchor == nil && $0.relations.contains(relation.lowercased()) }?.target
    }
}
