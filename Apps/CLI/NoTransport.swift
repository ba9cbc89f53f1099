import StrataDomain
import StrataNetworking

/// Sends nothing, and says which option forbids it.
struct NoTransport: Transport {
    let reason: String

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        throw NetworkError(.offline("\(reason) forbids to use the network"))
    }
}
