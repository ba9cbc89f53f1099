import FoundationEssentials
import StrataHTTP

/// A signature and what it signs, in the compact form of RFC 7515. Neither the signature nor the payload was checked.
struct SignedToken: Sendable {
    struct Header: Decodable, Sendable {
        var alg: String
        var kid: String?
        var typ: String?

        private enum CodingKeys: String, CodingKey { case alg, kid, typ, crit, b64 }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // RFC 7515, section 4.1.11: a token with an unknown critical extension must be refused. This service knows none,
            // RFC 7797 included.
            guard !container.contains(.crit), !container.contains(.b64) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .crit, in: container, debugDescription: "critical extension")
            }
            alg = try container.decode(String.self, forKey: .alg)
            kid = try container.decodeIfPresent(String.self, forKey: .kid)
            typ = try container.decodeIfPresent(String.self, forKey: .typ)
        }
    }

    let header: Header
    let payload: Data
    let signature: Data
    private let text: String
    /// Bytes of the text before the last dot.
    private let signedBytes: Int

    /// What the signature is of.
    var signed: Data { Data(text.utf8.prefix(signedBytes)) }

    /// - Returns: `nil` unless `text` is three canonical base64url parts, of which the first is a plain JSON object that names an algorithm
    ///   and no critical extension.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]), !signature.isEmpty,
            TokenForm.isPlainObject(headerBytes),
            let header = try? JSONDecoder().decode(Header.self, from: headerBytes)
        else { return nil }
        (self.header, self.payload, self.signature, self.text) = (header, payload, signature, text)
        signedBytes = text.utf8.count - parts[2].utf8.count - 1
    }
}
