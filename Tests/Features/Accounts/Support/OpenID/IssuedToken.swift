import FoundationEssentials

/// What the provider issues: a valid id token, but for the parts that are replaced here.
struct IssuedToken: Sendable {
    /// The case, as a test names it.
    let name: String
    /// Why the service refuses it; `nil` for a token that it must accept.
    let refusal: TokenRefusal?
    /// Changes members of header and claims.
    var change: @Sendable (inout Members) -> Void = { _ in }
    /// The text of the claims, from their JSON.
    var payload: @Sendable (String) -> String = { $0 }
    /// The signature of header and claims.
    var sign: @Sendable (Data, ProviderKeys) throws -> Data = { text, keys in try keys.signature(.es256, text) }
    /// The token, from one that is signed.
    var token: @Sendable (String) throws -> String = { $0 }
    /// The response of the token endpoint, from the JSON of the token.
    var response: @Sendable (String) -> String = { token in
        #"{"token_type":"Bearer","access_token":"at","id_token":\#(token)}"#
    }
    /// What the provider publishes.
    var keySet: @Sendable (ProviderKeys) throws -> String = { keys in #"{"keys":[\#(try keys.entry())]}"# }

    static let valid = IssuedToken(name: "a valid token", refusal: nil)

    /// Header and claims: JSON by name.
    struct Members: Sendable {
        var header = ["alg": "\"ES256\"", "kid": "\"k\""]
        var claims: [String: String]
        /// The time of the service, in seconds.
        let now: Int
    }

    /// The token of a sign-in.
    func text(_ members: Members, _ keys: ProviderKeys) throws -> String {
        var members = members
        change(&members)
        let parts = [ProviderKeys.object(members.header), payload(ProviderKeys.object(members.claims))]
        let signed = parts.map { ProviderKeys.base64URL($0.utf8) }.joined(separator: ".")
        return try token("\(signed).\(ProviderKeys.base64URL(sign(Data(signed.utf8), keys)))")
    }
}

/// Why a token is refused, as the log says it.
enum TokenRefusal: String, Sendable {
    case response = "the token endpoint sent no id token"
    case length = "the id token is too long"
    case form = "the id token is no signed JSON Web Token"
    case algorithm = "the id token is signed with another algorithm than RS256, PS256, ES256 or EdDSA"
    case type = "the id token has the type of another kind of token"
    case key = "the key of the id token is not among those of the provider"
    case signature = "the signature of the id token is not valid"
    case object = "the claims of the id token are no JSON object, or one is there twice"
    case claims = "the id token lacks iss, sub, aud, exp, iat or nonce, or one has another type"
    case issuer = "iss is another issuer"
    case subject = "sub is empty, longer than 255 characters, or not ASCII"
    case audience = "aud does not have this client"
    case otherAudiences = "aud has others, and azp is missing"
    case party = "azp is another client"
    case time = "a time is out of range"
    case expired = "exp has passed"
    case early = "iat or nbf is in the future"
    case nonce = "nonce is that of another sign-in"
    case hash = "at_hash is not that of the access token"
    case keySet = "the keys of the provider are no JSON Web Key Set"
    case tooLarge = "no usable response of the provider"

    var status: Int {
        switch self {
        case .keySet, .tooLarge: 503
        default: 403
        }
    }

    /// What the page says.
    var sentence: String {
        status == 503
            ? "Example cannot be used at the moment. Try again later."
            : "Example did not sign you in, or its answer is not valid. Start again."
    }
}
