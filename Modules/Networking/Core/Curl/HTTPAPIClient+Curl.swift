public import StrataDomain

extension HTTPAPIClient {
    /// The request of `endpoint` as a command that a POSIX shell can run, with base URL, fields and credential of this client.
    /// Nothing is sent. `ClientRequest.curl` says how it is written.
    ///
    /// Interceptors do not see the request, and a signer is not asked. A token that would have to be fetched or refreshed stands as `"$TOKEN"`.
    ///
    /// - Parameter showingSecrets: Whether credentials are shown, for the eyes of their owner only. Default: no.
    /// - Throws: `.invalidRequest` for a request that cannot be sent.
    public func curl<E: Endpoint>(
        for endpoint: E, options: CallOptions = CallOptions(), showingSecrets: Bool = false
    ) throws(NetworkError) -> String {
        command(try builder.request(for: endpoint, options, receivesOnce: true), showingSecrets)
    }

    /// A raw request as a command, as for an endpoint.
    public func curl(
        for request: RawRequest, options: CallOptions = CallOptions(), showingSecrets: Bool = false
    ) throws(NetworkError) -> String {
        command(try builder.request(request, options, events: { _ in }, receivesOnce: true), showingSecrets)
    }

    private func command(_ request: ClientRequest, _ showsSecrets: Bool) -> String {
        guard builder.owns(request.url.origin) else { return CurlCommand(request, showsSecrets: showsSecrets).text }
        switch auth {
        case .apiKey(let key, let place):
            let isOwn = place.isAuthorization && request.headers[FieldName.authorization] != nil
            let request = isOwn ? request : request.carrying(key, in: place)
            return CurlCommand(request, showsSecrets: showsSecrets).text
        case .bearer(let tokens) where request.headers[FieldName.authorization] == nil:
            if let token = tokens.tokenAtHand {
                return CurlCommand(request.carrying(bearer: token), showsSecrets: showsSecrets).text
            }
            var request = request
            request.headers[FieldName.authorization] = "Bearer unknown"
            return CurlCommand(request, showsSecrets: showsSecrets, isTokenUnknown: true).text
        default: return CurlCommand(request, showsSecrets: showsSecrets).text
        }
    }
}
