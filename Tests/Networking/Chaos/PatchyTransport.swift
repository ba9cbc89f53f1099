import StrataAsyncHTTP
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting

/// Tokens that the server lets expire; a session that ended is logged in again at once, as its owner would.
actor ShortTokens: TokenProvider {
    private var number = 1
    private(set) var sessionsEnded = 0

    func currentToken() async throws(NetworkError) -> Secret? { Secret("token-\(number)") }

    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret {
        if rejected.reveal() == "token-\(number)" { number += 1 }
        return Secret("token-\(number)")
    }

    func endSession() async {
        sessionsEnded += 1
        number += 1
    }
}

/// Sends to a port that nobody listens on when the plan says so.
final class PatchyTransport: Transport {
    private let inner: AsyncHTTPTransport
    private let plan: ChaosPlan
    private let deadPort: Int
    private let visits = Mutex<[Int: Int]>([:])
    let unsent = CallCounter()

    init(_ inner: AsyncHTTPTransport, _ plan: ChaosPlan, deadPort: Int) {
        (self.inner, self.plan, self.deadPort) = (inner, plan, deadPort)
    }

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        var request = request
        let call = request.headers["X-Call"].flatMap { Int($0) } ?? 0
        let visit = visits.withLock { visits in
            visits[call, default: 0] += 1
            return visits[call, default: 0]
        }
        if plan.findsNobody(call: call, visit: visit) {
            unsent.increment()
            request.url.origin = try Origin(scheme: "http", host: "127.0.0.1", port: deadPort)
        }
        try await inner.send(request, receive: receive)
    }
}
