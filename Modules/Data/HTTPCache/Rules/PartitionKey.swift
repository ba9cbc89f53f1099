import Crypto
import FoundationEssentials
import StrataDomain
import StrataNetworking

/// The partition of a private cache that a call belongs to: by the credential that the client adds, and by those that the
/// caller added.
///
/// Credentials are digested, so that nothing stored shows one.
struct PartitionKey: Sendable, Hashable {
    /// Digest of the account or the credential that the client sends; `nil` when it sends none.
    let sent: String?
    /// Digest of the credentials among the caller's fields; `nil` without any.
    let own: String?

    /// - Parameter tellsCookiesApart: Whether a cookie counts as a credential.
    init(_ request: ClientRequest, tellsCookiesApart: Bool) {
        sent = request.context.owner.map { Self.digest($0.reveal()) }
        let fields = request.headers.filter { field in
            HeaderFields.isCredential(field.name)
                && (tellsCookiesApart || !field.name.equalsIgnoringCase("Cookie"))
        }
        own =
            fields.isEmpty
            ? nil
            : Self.digest(
                fields.map { field in
                    let name = field.name.lowercased()
                    return "\(name.utf8.count):\(name)\(field.value.utf8.count):\(field.value)"
                }.joined())
    }

    /// - Parameter session: As `CallContext.owner` has it.
    init(session: Secret?) {
        sent = session.map { Self.digest($0.reveal()) }
        own = nil
    }

    var isAnonymous: Bool { sent == nil && own == nil }

    /// - Parameter named: The principal that the client names besides.
    func principal(_ named: String?) -> String {
        [named.map { "p:" + $0 }, sent.map { "s:" + $0 }, own.map { "o:" + $0 }].compactMap(\.self)
            .joined(separator: "\u{1F}")
    }

    /// The fields of a request as the cache sees them: credentials as digests, and one field for the credential that the
    /// client adds.
    func fields(_ headers: HeaderFields) -> HeaderFields {
        var fields = HeaderFields(
            headers.map { field in
                HeaderFields.Field(
                    field.name, HeaderFields.isCredential(field.name) ? "#" + Self.digest(field.value) : field.value)
            })
        if let sent { fields.add(Self.mark, sent) }
        return fields
    }

    /// No request has a field of this name.
    static let mark = ":owner"

    static func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).hex
    }
}
