import StrataDomain
import StrataHTTP

/// Lets the signer of an API sign each attempt to its own origins.
///
/// It stands inside retries, hedged requests and the user's attempt interceptors, so each attempt is signed anew, with the changes
/// of all of them. A redirect to a foreign origin is followed without a signature.
struct SigningInterceptor: Interceptor {
    let signer: any RequestSigner
    /// The only origins that ever see a signature.
    let origins: Set<Origin>
    /// Names further fields that hold a credential.
    let redaction: Redaction

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard origins.contains(request.url.origin) else { return try await next(request, receive) }
        var signing = SigningRequest(request.method, request.url, headers: request.headers, body: request.body)
        try await signer.sign(&signing)
        try checkIdentity(of: request.context)
        let added = signing.headers.filter { !request.headers.fields.contains($0) }
        try Self.check(added, signing)
        remember(added, signing, for: request)
        var signed = request
        signed.headers = signing.headers
        signed.url.query = signing.query
        try await next(signed, receive)
    }

    /// Coalescing and cache know the call by the identity that it began with, so no other one may answer it.
    private func checkIdentity(of context: CallContext) throws {
        switch context.secrets.identity {
        case .open, .credential(CallIdentity.Credential(signer)): break
        default:
            throw NetworkError(.invalidRequest("its signer changed its identity during the call; make the call again"))
        }
    }

    private static func check(_ added: HeaderFields, _ signing: SigningRequest) throws {
        if let field = added.first(where: { !$0.isSendable }) {
            throw NetworkError(
                .invalidRequest("the signer set header '\(field.name)' with an illegal character in its name or value"))
        }
        if let field = added.first(where: { FieldName.framing.contains($0.name.lowercased()) }) {
            throw NetworkError(
                .invalidRequest("the signer set header '\(field.name)', which the connection sets; leave it out"))
        }
        let isQuery = signing.query?.utf8.allSatisfy { HTTPURL.isURLByte($0) && $0 != UInt8(ascii: "#") } ?? true
        guard isQuery else {
            throw NetworkError(
                .invalidRequest("the signer set a query with a character that must be percent-encoded"))
        }
    }

    /// A server may repeat the signature. What holds a credential by its name must also stay at its origin; other long values are
    /// masked, because a signature may have any name.
    private func remember(_ added: HeaderFields, _ signing: SigningRequest, for request: ClientRequest) {
        let secrets = request.context.secrets
        for secret in added.credentials(redaction) { secrets.remember(secret) }
        for field in added {
            guard field.isCredential(redaction) else {
                hide(field.value, secrets)
                continue
            }
            for secret in redaction.secrets(inParameters: field.value) { secrets.remember(secret) }
        }
        guard signing.query != request.url.query, let query = signing.query else { return }
        for secret in redaction.secrets(inQuery: query) { secrets.remember(secret) }
        let earlier = Set((request.url.query ?? "").split(separator: "&"))
        for item in query.split(separator: "&") where !earlier.contains(item) {
            let value = item.drop { $0 != "=" }.dropFirst()
            hide(String(value), secrets)
            if let decoded = PercentEncoding.decode(value, plusIsSpace: true) { hide(decoded, secrets) }
        }
    }

    private func hide(_ value: String, _ secrets: CallSecrets) {
        guard value.utf8.count >= Self.shortestSignature else { return }
        secrets.hide(Secret(value))
    }

    /// In bytes. A version or a day is shorter, and masking it would make texts unreadable.
    private static let shortestSignature = 16
}

extension CallIdentity.Credential {
    /// Stands for the identity of `signer`, which holds its secret itself.
    init(_ signer: any RequestSigner) { self.init(secret: Secret("signer \(signer.identity)"), account: nil) }
}

extension Redaction {
    /// The values of sensitive parameters, as in `AWS4-HMAC-SHA256 Credential=…, Signature=…`.
    fileprivate func secrets(inParameters value: String) -> [Secret] {
        value.split { " ,;".contains($0) }.compactMap { part in
            let name = part.prefix { $0 != "=" }
            let text = part.dropFirst(name.count + 1).filter { $0 != "\"" }
            return text.utf8.count >= 4 && isSensitive(String(name)) ? Secret(String(text)) : nil
        }
    }
}
