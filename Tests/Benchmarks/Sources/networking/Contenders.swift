import AsyncHTTPClient
import FoundationEssentials
import Logging
import StrataDomain
import StrataNetworking

/// The same call three times.
struct Contenders: Sendable {
    enum Way: String, CaseIterable {
        /// Through everything.
        case full
        /// Through our transport alone.
        case bare
        /// With AsyncHTTPClient alone, as somebody who does without us would write it.
        case alone
    }

    private let client: HTTPAPIClient
    private let transport: any Transport
    private let http: HTTPClient
    private let url: HTTPURL
    private let time = MonotonicTime(ContinuousClock())

    init(_ transport: any Transport, _ http: HTTPClient, base: String) throws {
        self.transport = transport
        self.http = http
        url = try HTTPURL("\(base)/v1/runbooks")
        var logger = Logger(label: "bench", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .critical
        client = try HTTPAPIClient(
            baseURL: HTTPURL(base), transport: transport, auth: .bearer(OneToken()), resilience: Resilience(),
            logger: logger)
    }

    func call(_ way: Way, _ worker: Int) async throws -> Int {
        switch way {
        case .full: try await full(worker)
        case .bare: try await bare(worker)
        case .alone: try await alone(worker)
        }
    }

    private func full(_ worker: Int) async throws -> Int { try await client.send(ListPage(worker: worker)).items.count }

    private func alone(_ worker: Int) async throws -> Int {
        var request = HTTPClientRequest(url: "\(url)?limit=20&worker=\(worker)")
        request.headers = [
            "Accept": "application/json, application/problem+json", "User-Agent": ClientOptions.userAgent,
            "Authorization": "Bearer token",
        ]
        let response = try await http.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 20)
        return try await decode(Data(body.readableBytesView)).items.count
    }

    private func bare(_ worker: Int) async throws -> Int {
        var url = url
        url.query = "limit=20&worker=\(worker)"
        let context = CallContext(
            requestId: "bench", summary: "GET /v1/runbooks", deadline: Deadline(in: .seconds(30), on: time))
        let request = ClientRequest(
            .get, url,
            headers: [
                "Accept": "application/json, application/problem+json", "User-Agent": ClientOptions.userAgent,
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

/// A session that never ends, its token in memory as the token provider of this project has it.
private struct OneToken: TokenProvider {
    var tokenAtHand: Secret? { Secret("token") }
    func currentToken() async throws(NetworkError) -> Secret? { Secret("token") }
    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret { Secret("token") }
    func endSession() async {}
}
