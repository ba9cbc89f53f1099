import StrataDomain
import StrataNetworking

/// Sends nothing; the error names the option that forbids it.
struct NoTransport: Transport {
    let option: String

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        throw NetworkError(forbiddenBy: option)
    }
}
