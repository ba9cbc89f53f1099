import FoundationEssentials
public import StrataDomain

/// How one API wants its callers to identify themselves.
public enum AuthStyle: Sendable {
    /// No credential.
    case none
    /// `Authorization: Bearer …` (RFC 6750), renewed once when the server answers 401.
    case bearer(any TokenProvider)
    /// A key in a header field or a query item that the API names.
    case apiKey(Secret, in: Place)
    /// Each attempt is signed just before it is sent. The signer sees the caller's own `Authorization`, and may replace it.
    case signing(any RequestSigner)

    /// Where a key is sent.
    public enum Place: Sendable, Hashable {
        /// A header field of this name, such as `X-API-Key`.
        case header(String)
        /// A query item of this name.
        case query(String)

        /// Whether it is the place of the caller's own credential, which is not replaced.
        var isAuthorization: Bool {
            if case .header(let name) = self { name.equalsIgnoringCase(FieldName.authorization) } else { false }
        }
    }
}

extension AuthStyle {
    /// Each attempt is signed by `sign` just before it is sent.
    ///
    /// - Parameters:
    ///   - identity: Whose requests they are: the id of a key, or of an account. Two identities share no response.
    ///   - sign: Adds the signature; see `RequestSigner.sign`.
    public static func signing(identity: String, _ sign: @escaping SignRequest) -> AuthStyle {
        .signing(ClosureSigner(identity: identity, perform: sign))
    }

    /// `Authorization: Bearer …` with a token that is never renewed, such as one that a user creates on a page of the service.
    public static func token(_ token: Secret) -> AuthStyle {
        .apiKey(Secret("Bearer \(token.reveal())"), in: .header(FieldName.authorization))
    }

    /// `Authorization: Basic …` with the user and the password in UTF-8 (RFC 7617).
    ///
    /// - Parameter password: Empty where the service takes a key as the user.
    /// - Throws: A sentence when the user has a colon, or one of them a control character: the server would read others.
    public static func basic(user: String, password: Secret) throws(OptionsError) -> AuthStyle {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw OptionsError(
                "The user of Basic authentication has a colon, where the password would begin; remove it.")
        }
        let text = "\(user):\(password.reveal())"
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw OptionsError(
                "The user or the password of Basic authentication has a control character, such as a line break; remove it."
            )
        }
        return .apiKey(
            Secret("Basic \(Data(text.utf8).base64EncodedString())"), in: .header(FieldName.authorization))
    }
}
