import StrataDomain
import StrataNetworking

/// Sends nothing, and says which option forbids it.
struct NoTransport: Transport {
    let option: String

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        throw NetworkError(forbiddenBy: option)
    }
}
