import FoundationEssentials
import JournalDomain
import JournalService
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import StrataTokens
import Testing

/// Entries whose push needs a token that the token endpoint does not renew, against the real backend.
@Suite struct `A refused token refresh and the journal` {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var status: Int
        var body = "{}"
        var type = MediaType.json
        var testDescription: String { "\(status) \(type) \(body)" }
    }

    static let html = "<html><body>Log in to this network</body></html>"
    static let problem = #"{"type":"about:blank","title":"Refused","status":422,"code":"too_odd","errors":[]}"#

    static let refusals =
        [
            Refusal(status: 400, body: #"{"error":"unsupported_grant_type"}"#),
            Refusal(status: 400, body: #"{"error":"invalid_request"}"#), Refusal(status: 400),
            Refusal(status: 422), Refusal(status: 401, body: #"{"error":"invalid_client"}"#),
            Refusal(status: 400, body: problem, type: "application/problem+json"),
            Refusal(status: 422, body: problem, type: "application/problem+json"),
            Refusal(
                status: 400, body: problem.replacing("too_odd", with: "invalid_cursor"),
                type: "application/problem+json"),
            Refusal(status: 200), Refusal(status: 200, body: "null"),
            Refusal(status: 200, body: html, type: "text/html"),
        ]
        + [400, 401, 403, 404, 405, 409, 412, 413, 414, 421, 422, 429, 431, 500, 501, 502, 503].map {
            Refusal(status: $0, body: html, type: "text/html")
        }

    /// - Parameter isExpired: Whether the token is known to have expired, or refused with 401.
    @Test(arguments: refusals, [true, false])
    func `keeps every entry queued, and the next sync sends it once`(refusal: Refusal, isExpired: Bool) async throws {
        try await withBackend(JournalService()) { backend in
            let tokens = SessionTokens(
                access: Secret("expired"), refresh: Secret("refresh-1"),
                expiresAt: isExpired ? .distantPast : .distantFuture)
            let store = MemoryTokenStore(tokens)
            let endpoint = TokenEndpoint(refusal)
            let provider = RefreshingTokenProvider(
                store: store, refresher: PassingRefresher(client: try Self.client(endpoint, .none)), logger: .silent)
            let gate = Mutex<TokenGate?>(nil)
            _ = try backend.client { transport in
                gate.withLock { $0 = TokenGate(transport) }
                return transport
            }
            let wire = try #require(gate.withLock { $0 })
            let directory = try TemporaryDirectory()
            let database = try await OfflineDatabase.open(
                at: directory.file("journal.sqlite"), collections: [OfflineEntityRepository<JournalEntry>.collection],
                log: .silent)
            let engine = SyncEngine(database: database, client: try Self.client(wire, .bearer(provider)), log: .silent)
            let outbox = OfflineStore(database: database)
            let journal = OfflineEntityRepository<JournalEntry>.local(outbox)
            for number in 0..<3 {
                _ = try await journal.create(JournalEntry(host: "web1", text: "\(number)", occurredAt: .newYear))
            }

            for _ in 0..<3 {
                let error = await #expect(throws: DomainError.self) { try await engine.sync() }
                #expect(error?.isOutage == true, "\(String(describing: error))")
            }
            #expect(wire.pushes == 0, "No push passed the check of its token.")
            #expect(try await outbox.entries().map(\.state) == [.pending, .pending, .pending])
            #expect(try await store.read() == tokens, "The session stays.")

            endpoint.heal()
            #expect(try await engine.sync().pushed == 3)
            #expect(wire.pushes == 1)
            #expect(try await outbox.entries().isEmpty)
            #expect(try await journal.list(.cacheFirst).value.count == 3)
        }
    }

    private static func client(_ transport: some Transport, _ auth: AuthStyle) throws -> HTTPAPIClient {
        try HTTPAPIClient(
            baseURL: HTTPURL("http://backend.test"), transport: transport, auth: auth,
            resilience: Resilience(ResilienceOptions(retry: .never)), logger: .silent)
    }
}

/// Refuses each refresh until it is healed.
private final class TokenEndpoint: Transport {
    private let refusal: `A refused token refresh and the journal`.Refusal
    private let isWell = Mutex(false)

    init(_ refusal: `A refused token refresh and the journal`.Refusal) { self.refusal = refusal }

    func heal() { isWell.withLock { $0 = true } }

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let isWell = isWell.withLock { $0 }
        let body = isWell ? #"{"access_token":"ada","token_type":"Bearer","expires_in":900}"# : refusal.body
        try await receive(
            ClientResponse(
                ResponseHead(
                    status: isWell ? 200 : refusal.status,
                    headers: ["Content-Type": isWell ? MediaType.json : refusal.type]),
                body: ResponseBody(Data(body.utf8))))
    }
}

/// Answers 401 to the expired token, and counts the pushes that it lets through.
private final class TokenGate: Transport {
    private let base: any Transport
    private let passed = Mutex(0)

    init(_ base: any Transport) { self.base = base }

    var pushes: Int { passed.withLock { $0 } }

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        guard request.headers["Authorization"] != "Bearer expired" else {
            return try await receive(ClientResponse(ResponseHead(status: 401)))
        }
        if request.url.path == "/v1/sync/mutations" { passed.withLock { $0 += 1 } }
        try await base.send(request, receive: receive)
    }
}

/// Hands on what the token endpoint answers, as it is.
private struct PassingRefresher: TokenRefresher {
    let client: any APIClient

    func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens {
        let tokens = try await client.send(Refresh())
        return SessionTokens(access: Secret(tokens.accessToken), refresh: refresh, expiresAt: .distantFuture)
    }

    private struct Tokens: Codable, Sendable { var accessToken: String }

    private struct Refresh: ManualEndpoint {
        typealias Response = Tokens
        var method: HTTPMethod { .post }
        var path: String { "/token" }
    }
}
