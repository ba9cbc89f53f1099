import FoundationEssentials
import Testing

/// Tokens that differ from a valid one in one part, all in the same.
struct TokenGroup: Sendable, CustomTestStringConvertible {
    let name: String
    let tokens: [IssuedToken]

    var testDescription: String { "\(name) (\(tokens.count))" }

    /// What a service must refuse.
    static let wrong = [
        names, audiences, times, signIns, claimForms, headers, segments, responses, signatures, keys, keyUses, keySets,
    ]
    /// What a standard allows, or says nothing about.
    static let valid = [allowed]
}

extension IssuedToken {
    /// A token with another JSON in one claim; `nil` leaves the claim out.
    static func claim(
        _ name: String, _ json: String?, _ refusal: TokenRefusal?, with others: [String: String] = [:]
    ) -> IssuedToken {
        let shown = ([(name, json ?? "missing")] + others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            .map { "\($0) \($1.prefix(40))" }
        return IssuedToken(name: shown.joined(separator: ", "), refusal: refusal) { members in
            members.claims[name] = json
            members.claims.merge(others) { $1 }
        }
    }

    /// A token with a time.
    ///
    /// - Parameters:
    ///   - seconds: After the time of the service.
    ///   - factor: For times in another unit.
    static func time(
        _ name: String, _ seconds: Double, _ refusal: TokenRefusal?, factor: Int = 1
    ) -> IssuedToken {
        IssuedToken(name: "\(name) \(seconds) s from now, times \(factor)", refusal: refusal) { members in
            let isWhole = seconds == seconds.rounded()
            members.claims[name] =
                isWhole ? "\((members.now + Int(seconds)) * factor)" : "\(Double(members.now) + seconds)"
        }
    }

    /// A token with another JSON in one member of the header; `nil` leaves the member out.
    static func header(
        _ name: String, _ json: String?, _ refusal: TokenRefusal?, with others: [String: String] = [:]
    ) -> IssuedToken {
        IssuedToken(name: "header: \(name) \((json ?? "missing").prefix(40))", refusal: refusal) { members in
            members.header[name] = json
            members.header.merge(others) { $1 }
        }
    }

    /// A token whose claims are another text.
    static func payload(
        _ name: String, _ refusal: TokenRefusal?, _ payload: @escaping @Sendable (String) -> String
    ) -> IssuedToken {
        IssuedToken(name: name, refusal: refusal, payload: payload)
    }

    /// A token whose text was changed after it was signed.
    static func text(
        _ name: String, _ refusal: TokenRefusal?, _ token: @escaping @Sendable (String) throws -> String
    ) -> IssuedToken {
        IssuedToken(name: name, refusal: refusal, token: token)
    }

    /// A response of the token endpoint; `TOKEN` stands for a valid token.
    static func response(_ body: String, _ refusal: TokenRefusal?) -> IssuedToken {
        IssuedToken(
            name: "response: \(body.prefix(60))", refusal: refusal,
            response: { token in body.replacing("TOKEN", with: token) })
    }

    /// A token with another signature.
    static func signature(
        _ name: String, _ refusal: TokenRefusal?, alg algorithm: ProviderKeys.Algorithm = .es256,
        _ sign: @escaping @Sendable (Data, ProviderKeys) throws -> Data
    ) -> IssuedToken {
        IssuedToken(
            name: "signature: \(name)", refusal: refusal,
            change: { $0.header["alg"] = "\"\(algorithm.rawValue)\"" }, sign: sign,
            keySet: { keys in #"{"keys":[\#(try keys.entry(algorithm))]}"# })
    }

    /// A token that a key with other members verifies, if any does.
    static func key(
        _ name: String, _ refusal: TokenRefusal?, alg algorithm: ProviderKeys.Algorithm = .es256,
        _ changes: [String: String?]
    ) -> IssuedToken {
        keySet(name, refusal, alg: algorithm) { keys in #"{"keys":[\#(try keys.entry(algorithm, changes))]}"# }
    }

    /// A valid token, and other keys.
    static func keySet(
        _ name: String, _ refusal: TokenRefusal?, alg algorithm: ProviderKeys.Algorithm = .es256,
        _ keySet: @escaping @Sendable (ProviderKeys) throws -> String
    ) -> IssuedToken {
        IssuedToken(
            name: "key: \(name)", refusal: refusal, change: { $0.header["alg"] = "\"\(algorithm.rawValue)\"" },
            sign: { text, keys in try keys.signature(algorithm, text) }, keySet: keySet)
    }
}
