public import Logging
public import StrataDomain
public import StrataNetworking

extension OAuthServer {
    /// The server whose identifier is `issuer`, as its metadata state it: RFC 8414, or else OpenID Connect Discovery 1.0.
    ///
    /// - Parameters:
    ///   - issuer: Exactly as the server writes it, with or without a slash at its end: `https://id.example.com`. It has no
    ///     query and no fragment.
    ///   - transport: Sends the requests, without credentials; no redirect is followed.
    /// - Throws: `.invalidResponse` when there are no metadata, when they name another issuer, or an endpoint that is neither
    ///   `https` nor on a loopback address. `.invalidRequest` for an `issuer` that is none.
    public static func discover(
        _ issuer: String, transport: any Transport, resilience: Resilience = Resilience(),
        logger: Logger = OAuth.quietLogger
    ) async throws(NetworkError) -> OAuthServer {
        let (url, client) = try opened(issuer, transport, resilience, logger)
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        let places = ["/.well-known/oauth-authorization-server\(path)", "\(path)/.well-known/openid-configuration"]
        for place in places {
            let document: JSONValue
            do throws(NetworkError) { document = try await client.send(GetMetadata(path: place)) } catch {
                guard error.isAbsence else { throw error }
                continue
            }
            return try OAuthServer(metadata: document.object ?? [:], of: issuer)
        }
        throw NetworkError(
            .invalidResponse(
                "\(url.origin) has no metadata at \(places[0]) nor at \(places[1]); check the issuer, or state the endpoints "
                    + "with 'OAuthServer.endpoints'"))
    }

    private static func opened(
        _ issuer: String, _ transport: any Transport, _ resilience: Resilience, _ logger: Logger
    ) throws(NetworkError) -> (HTTPURL, HTTPAPIClient) {
        do throws(OptionsError) {
            guard !issuer.contains("?"), !issuer.contains("#") else {
                throw OptionsError("The issuer has a query or a fragment; leave it out.")
            }
            let url = try protected(issuer, "issuer")
            return (url, try HTTPAPIClient(open: url, transport, resilience, logger))
        } catch { throw NetworkError(.invalidRequest(error.description)) }
    }

    /// - Parameter issuer: What the document must name, character by character (RFC 8414, section 3.3).
    init(metadata: [String: JSONValue], of issuer: String) throws(NetworkError) {
        guard let named = metadata["issuer"]?.string, named.utf8.elementsEqual(issuer.utf8) else {
            let said = metadata["issuer"]?.string.map { "call the server '\(Self.shown($0))'" } ?? "name no issuer"
            throw NetworkError(
                .invalidResponse(
                    "the metadata \(said), not '\(issuer)'; they must be equal, also in a slash at the end"))
        }
        guard let token = metadata["token_endpoint"]?.string else {
            throw NetworkError(.invalidResponse("the metadata of '\(issuer)' name no token_endpoint"))
        }
        do throws(OptionsError) {
            try self.init(
                token: token, authorization: metadata["authorization_endpoint"]?.string,
                device: metadata["device_authorization_endpoint"]?.string, issuer: issuer,
                namesIssuer: metadata["authorization_response_iss_parameter_supported"] == .bool(true))
        } catch {
            throw NetworkError(.invalidResponse("the metadata of '\(issuer)' cannot be used. \(error.description)"))
        }
    }

    /// At most 100 characters of a text of the server, fit for a terminal.
    static func shown(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(100).map { (0x20...0x7E).contains($0.value) ? $0 : "?" }))
    }
}

private struct GetMetadata: ManualEndpoint {
    typealias Response = JSONValue

    let path: String
    var method: HTTPMethod { .get }
    var headers: HeaderFields { ["Accept": MediaType.json] }
}

extension NetworkError {
    /// Whether there is no document at this place: a refusal, a redirect, or a page.
    fileprivate var isAbsence: Bool {
        switch kind {
        case .notFound, .forbidden, .unauthorized, .validation, .conflict, .decoding: true
        case .status: !isRetryable
        case .invalidResponse: isForeign
        default: false
        }
    }
}
