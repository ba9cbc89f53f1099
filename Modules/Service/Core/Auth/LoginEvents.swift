import Crypto
import FoundationEssentials
public import Logging
public import Metrics
import StrataHTTP

/// Reports logins to operators: a log line for each failed one and the counter `logins_total{result}`.
public struct LoginEvents: Sendable {
    private let successes: Counter
    private let failures: Counter
    private let refusals: Counter
    private let logger: Logger
    /// Random for each process.
    private let key = SymmetricKey(size: .bits256)

    /// Counters of logins, in these metrics and this log.
    public init(
        metrics: any MetricsFactory = MetricsSystem.factory, logger: Logger = Logger(label: "strata.auth")
    ) {
        func counter(_ result: String) -> Counter {
            Counter(label: "logins_total", dimensions: [("result", result)], factory: metrics)
        }
        (metrics as? PrometheusRegistry)?.describe("logins_total", "Logins, by result.")
        successes = counter("succeeded")
        failures = counter("failed")
        refusals = counter("throttled")
        self.logger = logger
    }

    /// Counts a login.
    public func succeeded() { successes.increment() }

    /// The name or the password was wrong.
    ///
    /// - Parameters:
    ///   - username: The name that was tried.
    ///   - isKnown: Whether an account has this name.
    public func failed(username: String, isKnown: Bool, _ scope: RequestScope) {
        failures.increment()
        logger.notice(
            "login failed",
            metadata: [
                "username": "\(isKnown ? username : masked(username))", "client": "\(scope.clientAddress)",
                "request_id": "\(scope.requestId)",
            ])
    }

    /// A sign-in at an OpenID provider failed.
    ///
    /// - Parameter reason: Without tokens, codes and secrets.
    public func failed(openID reason: String, _ scope: RequestScope) {
        failures.increment()
        logger.notice(
            "sign-in at the OpenID provider failed",
            metadata: [
                "reason": "\(reason)", "client": "\(scope.clientAddress)", "request_id": "\(scope.requestId)",
            ])
    }

    /// Too many logins: the password was not checked, or its result was not returned.
    public func throttled() { refusals.increment() }

    /// The text that is logged for the name of no account, which may be a password typed in the wrong field. Its length and
    /// keyed digest only show whether one name or many names are tried.
    private func masked(_ username: String) -> String {
        let digest = HMAC<SHA256>.authenticationCode(for: Data(username.utf8), using: key)
        return "(unknown \(Base64URL.encode(Data(digest).prefix(6))), \(username.utf8.count) bytes)"
    }
}
