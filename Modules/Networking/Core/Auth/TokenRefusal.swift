import StrataDomain

/// What a 401 says about the token that was sent, by its challenges (RFC 9110, section 11.6.1; RFC 6750, section 3).
enum TokenRefusal: Sendable {
    /// The token is not accepted: `error="invalid_token"`, or a server that sends no challenge at all.
    case certain
    /// A `Bearer` challenge without an error, which is meant for requests without a token: a new token may help, but a new
    /// one that is refused so is not the end of its session.
    case possible

    /// `nil` where the response is not about the token: another status, another error such as a wrong password, or another
    /// scheme.
    init?(_ head: ResponseHead) {
        guard head.status == 401 else { return nil }
        let challenges = head.headers.values("WWW-Authenticate").joined(separator: ", ").lowercased()
        guard !challenges.isEmpty else {
            self = .certain
            return
        }
        guard let bearer = Self.parameters(of: "bearer", in: challenges) else { return nil }
        switch Self.error(in: bearer) {
        case "invalid_token": self = .certain
        case nil: self = .possible
        default: return nil
        }
    }

    /// The text after the scheme, up to the end. It may contain other schemes, because only `error` is read.
    private static func parameters(of scheme: String, in challenges: String) -> Substring? {
        var rest = challenges[...]
        var isQuoted = false
        var mayBegin = true
        while let character = rest.first {
            if mayBegin, !isQuoted, rest.hasPrefix(scheme) {
                let behind = rest.dropFirst(scheme.count)
                if behind.first.map({ $0 == " " || $0 == "," }) ?? true { return behind }
            }
            if character == "\"" { isQuoted.toggle() }
            mayBegin = character == "," || (mayBegin && character == " ")
            rest.removeFirst()
        }
        return nil
    }

    private static func error(in parameters: Substring) -> Substring? {
        for part in parameters.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == " " }) == "error" else { continue }
            return pair[1].filter { $0 != "\"" && $0 != " " }[...]
        }
        return nil
    }
}
