public import StrataNetworking
import StrataSystem

/// The endpoints of an authorization server, given by hand or read from its metadata.
public struct OAuthServer: Sendable, Hashable {
    /// Where a grant is traded for tokens (RFC 6749, section 3.2).
    public let token: HTTPURL
    /// Where a browser begins a login (RFC 6749, section 3.1); `nil` when unknown.
    public let authorization: HTTPURL?
    /// Where a device gets its codes (RFC 8628, section 3.1); `nil` when unknown.
    public let device: HTTPURL?
    /// The name that the server calls itself, exactly; `nil` when unknown. A login by a browser compares it (RFC 9207).
    public let issuer: String?
    /// Whether every answer of a login by a browser names the issuer, as the metadata say (RFC 9207, section 3).
    let namesIssuer: Bool

    /// A server whose endpoints are known. Each is `https`, or `http` on a loopback address.
    ///
    /// - Parameters:
    ///   - authorization: For `authorizationCode`.
    ///   - device: For `device`.
    ///   - issuer: The server's identifier, where it names itself in the answer of a login (RFC 9207).
    /// - Throws: A sentence when a URL cannot be read, or would show credentials on the way.
    public static func endpoints(
        token: String, authorization: String? = nil, device: String? = nil, issuer: String? = nil
    ) throws(OptionsError) -> OAuthServer {
        try OAuthServer(token: token, authorization: authorization, device: device, issuer: issuer, namesIssuer: false)
    }

    init(
        token: String, authorization: String?, device: String?, issuer: String?, namesIssuer: Bool
    ) throws(OptionsError) {
        self.token = try Self.protected(token, "token endpoint")
        self.authorization = try authorization.map { url throws(OptionsError) in
            try Self.protected(url, "authorization endpoint")
        }
        self.device = try device.map { url throws(OptionsError) in
            try Self.protected(url, "device authorization endpoint")
        }
        self.issuer = issuer
        self.namesIssuer = namesIssuer
    }

    /// The URL `text`, which must be https or a loopback address.
    static func protected(_ text: String, _ name: String) throws(OptionsError) -> HTTPURL {
        let url = try HTTPURL(text)
        guard url.origin.scheme == "https" || url.origin.isLoopback else {
            throw OptionsError(
                "The \(name) at \(url.origin) is not https, so credentials could be read on the way; use https, or http "
                    + "with a loopback address.")
        }
        return url
    }
}

extension Origin {
    /// Whether its requests stay on this machine (RFC 6761, section 6.3).
    fileprivate var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }
}
