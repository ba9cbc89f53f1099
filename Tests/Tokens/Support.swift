import Foundation
import Logging
import StrataConcurrency
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataTokens

/// Responds to refreshes from a closure and counts them.
final class FakeRefresher: TokenRefresher {
    private let counter = Mutex<[Secret]>([])
    private let answer: @Sendable (Int, Secret) async throws(NetworkError) -> SessionTokens

    /// - Parameter answer: Receives the number of the refresh, from 1, and the sent refresh token.
    init(_ answer: @escaping @Sendable (Int, Secret) async throws(NetworkError) -> SessionTokens) {
        self.answer = answer
    }

    var sent: [Secret] { counter.withLock { $0 } }

    func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens {
        let number = counter.withLock { sent in
            sent.append(refresh)
            return sent.count
        }
        return try await answer(number, refresh)
    }
}

extension RefreshingTokenProvider {
    /// A provider with a server whose time is that of `clock`.
    init(
        store: any TokenStore, refresher: any TokenRefresher, clock: ManualWallClock,
        refreshDeadline: Duration = .seconds(30), timer: any Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "test"), onSessionEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.init(
            store: store, refresher: refresher, clock: ServerClock(clock), refreshDeadline: refreshDeadline,
            timer: timer, logger: logger, onSessionEnd: onSessionEnd)
    }
}

extension SessionTokens {
    static let noon = Date(timeIntervalSince1970: 1_795_251_600)

    /// Tokens `access-n` and `refresh-n`, issued at `now`.
    static func number(_ number: Int, living life: Duration = .seconds(900), at now: Date = noon) -> SessionTokens {
        SessionTokens(
            access: Secret("access-\(number)"), refresh: Secret("refresh-\(number)"),
            expiresAt: now.addingTimeInterval(life.inSeconds), issuedAt: now)
    }
}

extension NetworkError {
    static func grant(_ kind: (Problem?) -> Kind, error: String = "invalid_grant") -> NetworkError {
        NetworkError(kind(Problem(title: "Bad Request", status: 400, error: error)))
    }

    var isUnauthorized: Bool { if case .unauthorized = kind { true } else { false } }
}

/// The result of an operation, for tests of failures.
func outcome<Success: Sendable>(
    _ operation: () async throws(NetworkError) -> Success
) async -> Result<Success, NetworkError> {
    do throws(NetworkError) { return .success(try await operation()) } catch { return .failure(error) }
}

extension Result where Failure == NetworkError {
    var value: Success? { try? get() }
    var error: NetworkError? { if case .failure(let error) = self { error } else { nil } }
}
