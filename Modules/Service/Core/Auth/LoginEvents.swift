import Crypto
import FoundationEssentials
public import Logging
public import Metrics

/// Tells operators how logins end: a security event in the log for each one that fails, and the counter
/// `logins_total{result}`.
public struct LoginEvents: Sendable {
    private let successes: Counter
    private let failures: Counter
    private let refusals: Counter
    private let logger: Logger
    /// New in every process.
    private let key = SymmetricKey(size: .bits256)

    public init(
        metrics: any MetricsFactory = MetricsSystem.factory, logger: Logger = Logger(label: "strata.auth")
    ) {
        func counter(_ result: String) -> Counter {
            Counter(label: "logins_total", dimensions: [("result", result)], factory: metrics)
        }
        (metrics as? PrometheusRegistry)?.describe("logins_total", "Logins, by how they ended.")
        successes = counter("succeeded")
        failures = counter("failed")
        refusals = counter("throttled")
        self.logger = logger
    }

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
                "username": "\(isKnown ? username : stranger(username))", "client": "\(scope.clientAddress)",
                "request_id": "\(scope.requestId)",
            ])
    }

    /// Too many logins: the password was not looked at, or its verdict not told.
    public func throttled() { refusals.increment() }

    /// What is logged in place of a name that no account has. It may be a password, typed in the wrong field: the
    /// length and a keyed digest tell one name that is tried again from many names, and nothing else.
    private func stranger(_ username: String) -> String {
        let digest = HMAC<SHA256>.authenticationCode(for: Data(username.utf8), using: key)
        return "(unknown \(Base64URL.encode(Data(digest).prefix(6))), \(username.utf8.count) bytes)"
    }
}
