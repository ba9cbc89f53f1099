import NIOCore
import NIOHTTP1
import NIOPosix
import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension NetworkError {
    /// What SwiftNIO met. `.offline` says that provably nothing was sent.
    init(socket error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case is CancellationError: self.init(.cancelled)
        case let error as NIOConnectionError:
            let codes = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
            self.init(codes.contains(where: Self.isExhausted) ? .exhausted : .offline(Self.text(of: error)))
        case let error as IOError where Self.isExhausted(error.errnoCode): self.init(.exhausted)
        case let error as IOError:
            // Only `connect` refuses; the unreachable codes can also end a connection that was in use.
            let isUnsent = error.errnoCode == ECONNREFUSED || error.description.hasPrefix("connect")
            let text = Self.text(errno: error.errnoCode)
            self.init(isUnsent ? .offline(text) : .connectionLost(text))
        case ChannelError.connectTimeout: self.init(.offline("no connection in time"))
        case is ChannelError: self.init(.connectionLost("the connection was closed"))
        case let error as SocketAddressError.UnknownHost: self.init(.offline("host '\(error.host)' is unknown"))
        // The connection ended before the message did.
        case HTTPParserError.invalidEOFState: self.init(.connectionLost("the connection was closed in mid-message"))
        case let error as HTTPParserError: self.init(.invalidResponse("it is no legal HTTP (\(error))"))
        default: self.init(.connectionLost("\(type(of: error))"))
        }
    }

    private static func text(of error: NIOConnectionError) -> String {
        if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
            return "host '\(error.host)' cannot be resolved"
        }
        let reason = error.connectionErrors.first.map { failure in
            switch failure.error {
            case let error as IOError: text(errno: error.errnoCode)
            case ChannelError.connectTimeout: "no connection in time"
            default: String("\(failure.error)".prefix(200))
            }
        }
        return "\(error.host):\(error.port): \(reason ?? "not reachable")"
    }

    /// Whether this process or this machine has no file number left for a connection.
    private static func isExhausted(_ code: CInt) -> Bool { code == EMFILE || code == ENFILE }

    private static func text(errno code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case EHOSTUNREACH, ENETUNREACH: "network unreachable"
        case ETIMEDOUT: "no answer"
        default: String(cString: strerror(code))
        }
    }
}

extension NetworkError.Kind {
    fileprivate static var exhausted: Self {
        .storage(
            "no connection can be made: too many files are open. Do less at once, or raise the limit with 'ulimit -n'.")
    }
}
