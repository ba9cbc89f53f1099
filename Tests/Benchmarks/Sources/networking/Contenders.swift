import FoundationEssentials
import Logging
import StrataDomain
import StrataNetworking

/// The same call twice: through everything, and through the transport alone.
struct Contenders: Sendable {
    private let client: HTTPAPIClient
    private let transport: any Transport
    private let url: HTTPURL
    private let time = MonotonicTime(ContinuousClock())

    init(_ transport: any Transport, base: String) throws {
        self.transport = transport
        url = try HTTPURL("\(base)/v1/runbooks")
        var logger = Logger(label: "bench", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .critical
        client = try HTTPAPIClient(
            baseURL: HTTPURL(base), transport: transport, auth: .bearer(OneToken()), resilience: Resilience(),
            logger: logger)
    }

    func full(_ worker: Int) async throws -> Int { try await client.send(ListPage(worker: worker)).items.count }

    func bare(_ worker: Int) async throws -> Int {
        var url = url
        url.query = "limit=20&worker=\(worker)"
        let context = CallContext(
            requestId: "bench", summary: "GET /v1/runbooks", deadline: Deadline(in: .seconds(30), on: time))
        let request = ClientRequest(
            .get, url,
            headers: [
                "Accept": "application/json, application/problem+json", "User-Agent": "Strata",
                "Authorization": "Bearer token",
            ], context: context)
        let bytes = Bytes()
        try await transport.send(request) { response in
            bytes.value = try await response.body.collect(upTo: 1 << 20)
        }
        return try await decode(bytes.value).items.count
    }

    /// Off the caller's actor, as the client does it.
    @concurrent
    private func decode(_ bytes: Data) async throws -> Page { try WireJSON.decode(Page.self, from: bytes) }
}

// Sendable proof: written by the one task that reads the response, read after it ended.
private final class Bytes: @unchecked Sendable {
    var value = Data()
}

/// A session that never ends.
private struct OneToken: TokenProvider {
    func currentToken() async throws(NetworkError) -> Secret? { Secret("token") }
    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret { Secret("token") }
    func endSession() async {}
}
