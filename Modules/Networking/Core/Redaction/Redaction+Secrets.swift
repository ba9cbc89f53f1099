import FoundationEssentials
import StrataDomain

extension Redaction {
    /// Bytes of a body that is searched for secrets; a longer one is no login.
    private static let longestSearched = 64 * 1024

    /// What stands under sensitive names in a JSON or form body: a server may echo it.
    ///
    /// - Returns: Values of four bytes and more; shorter ones would mask half of every sentence.
    fileprivate func secrets(in body: Data, _ contentType: String?) -> [Secret] {
        guard body.count <= Self.longestSearched else { return [] }
        let type = MediaType.essence(contentType ?? "")
        if type == MediaType.form { return secrets(inQuery: String(decoding: body, as: UTF8.self)) }
        guard MediaType.isJSON(type), let value = try? WireJSON.decode(JSONValue.self, from: body) else { return [] }
        return texts(in: value, isSecret: false).filter { $0.utf8.count >= 4 }.map(Secret.init)
    }

    /// The values of sensitive names in a query or form, decoded and as they are written. A name that cannot be decoded is
    /// sensitive.
    func secrets(inQuery query: String) -> [Secret] {
        query.split(separator: "&").flatMap { pair -> [String] in
            let name = pair.prefix { $0 != "=" }
            let value = pair.dropFirst(name.utf8.count + 1)
            guard value.utf8.count >= 4, PercentEncoding.decode(name, plusIsSpace: true).map(isSensitive) ?? true else {
                return []
            }
            let (written, decoded) = (String(value), PercentEncoding.decode(value, plusIsSpace: true))
            return [written] + [decoded].compactMap { $0 == written ? nil : $0 }
        }.map(Secret.init)
    }

    private func texts(in value: JSONValue, isSecret: Bool) -> [String] {
        switch value {
        case .object(let members):
            members.flatMap { texts(in: $0.value, isSecret: isSecret || isSensitive($0.key)) }
        case .array(let values): values.flatMap { texts(in: $0, isSecret: isSecret) }
        case .string(let text): isSecret ? [text] : []
        default: []
        }
    }
}

/// What a request says that a server may echo; searched for secrets when that is first asked for, which most calls never do.
struct SecretSearch: Sendable {
    let redaction: Redaction
    let query: String?
    let body: Data?
    let contentType: String?

    /// In the query: what must stay at its own origin.
    var credentials: [Secret] { query.map(redaction.secrets(inQuery:)) ?? [] }

    /// In the body.
    var contents: [Secret] { body.map { redaction.secrets(in: $0, contentType) } ?? [] }
}
