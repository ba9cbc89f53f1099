import FoundationEssentials
import StrataDomain
import StrataNetworking

/// Answers at once from memory, so that a profiler sees nothing but the pipeline.
struct InstantTransport: Transport {
    let json: Data

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let head = ResponseHead(
            status: 200, headers: ["Content-Type": "application/json", "Content-Length": "\(json.count)"])
        try await receive(ClientResponse(head, body: ResponseBody(json)))
    }
}
