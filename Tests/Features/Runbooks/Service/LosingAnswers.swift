import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Lets requests take effect and loses the first answers.
final class LosingAnswers: Transport {
    private let base: any Transport
    private let losses: Mutex<Int>

    init(base: any Transport, losses: Int) {
        self.base = base
        self.losses = Mutex(losses)
    }

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let isLost = losses.withLock { losses in
            losses -= 1
            return losses >= 0
        }
        guard isLost else { return try await base.send(request, receive: receive) }
        try await base.send(request) { _ in }
        throw NetworkError(.connectionLost("the answer was lost"))
    }
}
