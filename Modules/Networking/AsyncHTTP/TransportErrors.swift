import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import StrataDomain
import StrataSystem

extension NetworkError {
    /// What AsyncHTTPClient or SwiftNIO met. `.offline` says that provably nothing was sent.
    init(transport error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case is CancellationError: self.init(.cancelled)
        case let error as HTTPClientError: self.init(Kind(error))
        case let error as NIOConnectionError where error.connectionErrors.contains { Self.isExhausted($0.error) }:
            self.init(.exhausted)
        case let error as NIOConnectionError: self.init(.offline(Self.text(of: error)))
        case let error where Self.isExhausted(error): self.init(.exhausted)
        case let error as IOError: self.init(Kind(error))
        case let error as ChannelError: self.init(Kind(error))
        case let error as SocketAddressError.UnknownHost: self.init(.offline("host '\(error.host)' is unknown"))
        // The connection ended before the message did.
        case HTTPParserError.invalidEOFState: self.init(.connectionLost("the connection was closed in mid-message"))
        case let error as HTTPParserError: self.init(.invalidResponse("it is no legal HTTP (\(error))"))
        // The server closed without `close_notify` (RFC 8446, section 6.1), so nobody knows whether more was to come.
        case let error where Self.isOfTLS(error) && "\(error)" == "uncleanShutdown":
            self.init(.connectionLost("the server closed the connection without the end of TLS"))
        case let error where Self.isOfTLS(error):
            self.init(.tls(TLSFailure("\(error)").description))
        default: self.init(.connectionLost("\(type(of: error))"))
        }
    }

    /// What was met on the way through `proxy`, if there is one: an error before the connection stands names it.
    init(transport error: any Error, through proxy: UpstreamProxy?) {
        self.init(transport: error)
        guard let proxy else { return }
        switch (error as? HTTPClientError, kind) {
        case (.proxyAuthenticationRequired, _): self = .refusedCredentials(by: proxy)
        case (.invalidProxyResponse, _): kind = .offline("the proxy \(proxy) refused to connect to the server")
        case (.httpProxyHandshakeTimeout, _): kind = .offline("the proxy \(proxy) made no connection in time")
        case (_, .offline(let why)): kind = .offline("with the proxy \(proxy): \(why)")
        default: break
        }
    }

    /// A proxy answered 407. Repeating does not help, and the server has not seen the request.
    static func refusedCredentials(by proxy: UpstreamProxy) -> NetworkError {
        let what =
            proxy.authorization == nil ? "asks for a user and a password" : "does not accept the user and the password"
        return NetworkError(
            .invalidRequest(
                "the proxy \(proxy) \(what) (407). Give them in the variable of the proxy, as http://user:password@host:port, or to AsyncHTTPOptions(proxy:)."
            ))
    }

    private static func isOfTLS(_ error: any Error) -> Bool { String(reflecting: type(of: error)).hasPrefix("NIOSSL.") }

    private static func text(of error: NIOConnectionError) -> String {
        let place = "\(error.host):\(error.port)"
        if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
            return "host '\(error.host)' cannot be resolved"
        }
        let reasons = error.connectionErrors.map { failure in
            (failure.error as? IOError).map { Self.text(errno: $0.errnoCode) } ?? short("\(failure.error)")
        }
        return "\(place): \(reasons.first ?? "not reachable")"
    }

    /// Whether this process or this machine has no file number left for a connection. That says nothing about the origin.
    private static func isExhausted(_ error: any Error) -> Bool {
        guard let error = error as? IOError else { return false }
        return error.errnoCode == EMFILE || error.errnoCode == ENFILE
    }

    fileprivate static func text(errno code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case EHOSTUNREACH, ENETUNREACH: "network unreachable"
        case ETIMEDOUT: "no answer"
        default: String(cString: strerror(code))
        }
    }

    fileprivate static func short(_ text: String) -> String { String(text.prefix(200)) }
}

extension NetworkError.Kind {
    fileprivate static var exhausted: Self {
        .storage(
            "no connection can be made: too many files are open. Do less at once, or raise the limit with 'ulimit -n'.")
    }

    fileprivate init(_ error: HTTPClientError) {
        switch error {
        case .cancelled, .requestStreamCancelled: self = .cancelled
        case .deadlineExceeded, .readTimeout, .writeTimeout: self = .timeout
        case .connectTimeout, .getConnectionFromPoolTimeout: self = .offline("no connection in time")
        case .tlsHandshakeTimeout: self = .offline("no TLS handshake in time")
        case .proxyAuthenticationRequired: self = .invalidRequest("the proxy asks for a user and a password (407)")
        case .socksHandshakeTimeout, .httpProxyHandshakeTimeout, .invalidProxyResponse:
            self = .offline("the proxy did not connect (\(error.shortDescription))")
        case .remoteConnectionClosed, .uncleanShutdown:
            self = .connectionLost("the server closed the connection")
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .bodyLengthMismatch, .contentLengthMissing,
            .identityCodingIncorrectlyPresent, .traceRequestWithBody, .alreadyShutdown:
            self = .invalidRequest(error.shortDescription)
        default: self = .unexpected(error.shortDescription)
        }
    }

    fileprivate init(_ error: IOError) {
        let text = NetworkError.text(errno: error.errnoCode)
        // Only `connect` refuses; the unreachable codes can also end a connection that was in use.
        let isUnsent = error.errnoCode == ECONNREFUSED || error.description.hasPrefix("connect")
        self = isUnsent ? .offline(text) : .connectionLost(text)
    }

    fileprivate init(_ error: ChannelError) {
        switch error {
        case .connectTimeout: self = .offline("no connection in time")
        case .connectPending, .unknownLocalAddress: self = .offline("\(error)")
        default: self = .connectionLost("the connection was closed")
        }
    }
}
