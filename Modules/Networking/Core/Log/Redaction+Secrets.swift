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
        var found: [String] = []
        if type == MediaType.form {
            found = secrets(inForm: String(decoding: body, as: UTF8.self))
        } else if MediaType.isJSON(type),
            let value = try? WireJSON.decode(JSONValue.self, from: body)
        {
            found = texts(in: value, isSecret: false)
        }
        return found.filter { $0.utf8.count >= 4 }.map(Secret.init)
    }

    private func secrets(inForm text: String) -> [String] {
        text.split(separator: "&").flatMap { pair -> [String] in
            let name = pair.prefix { $0 != "=" }
            guard PercentEncoding.decode(name, plusIsSpace: true).map(isSensitive) ?? true else { return [] }
            let value = pair.dropFirst(name.count + 1)
            return [String(value), PercentEncoding.decode(value, plusIsSpace: true)].compactMap { $0 }
        }
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
