public import FoundationEssentials
import JWTKit

/// The claims of a verified access token (RFC 9068, section 2.2).
public struct AccessClaims: Sendable, Hashable {
    /// `sub`.
    public var userId: String
    /// `sid`: the session the token belongs to.
    public var sessionId: String
    /// `name`.
    public var username: String
    /// `role` at the time the token was issued. Authorization reads the role from the database.
    public var role: String
    /// `jti`.
    public var tokenId: String
    /// When the token stops to be valid.
    public var expiresAt: Date
}

/// The payload of a token. Times are numbers here, so that their range is checked before they are converted.
struct AccessPayload: JWTPayload {
    var iss: String
    var aud: Audience
    var clientId: String
    var sub: String
    var sid: String
    var jti: String
    var name: String
    var role: String
    var iat: Double
    var nbf: Double?
    var exp: Double

    private enum CodingKeys: String, CodingKey {
        case iss, aud, sub, sid, jti, name, role, iat, nbf, exp
        case clientId = "client_id"
    }

    /// Does nothing: `AccessTokens` checks the claims against its clock after the signature.
    func verify(using algorithm: some JWTAlgorithm) {}

    /// Why the token is refused at `now`; `nil` when it is valid.
    func refusal(issuer: String, audience: String, now: Date) -> String? {
        let now = now.timeIntervalSince1970
        // The years 1970 to 9999; refuses NaN and infinity.
        let validTimes = 0.0...253_402_300_799
        guard iss == issuer else { return "It was issued by another service." }
        guard aud.names.contains(audience) else { return "It is meant for another service." }
        guard [sub, sid, jti, clientId].allSatisfy({ !$0.isEmpty }) else {
            return "A required claim is empty: sub, sid, client_id or jti."
        }
        guard validTimes.contains(exp), validTimes.contains(iat), nbf.map(validTimes.contains) ?? true, exp > iat else {
            return "Its times are out of range."
        }
        guard now < exp else { return "It has expired; refresh it." }
        guard iat <= now + AccessTokens.leewaySeconds, (nbf ?? 0) <= now + AccessTokens.leewaySeconds else {
            return "It is not valid yet."
        }
        return nil
    }
}

/// One audience or a list (RFC 7519, section 4.1.3). JWTKit's own type traps on an empty list.
struct Audience: Codable, Sendable {
    var names: [String]

    init(_ name: String) { names = [name] }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let name = try? container.decode(String.self) {
            names = [name]
        } else {
            names = try container.decode([String].self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if names.count == 1 { try container.encode(names[0]) } else { try container.encode(names) }
    }
}
