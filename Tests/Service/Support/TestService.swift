import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing
import Tracing

@testable import StrataService

/// Authenticates three users and one host, and refuses all others.
struct SampleAuthenticator: Authenticator {
    func principal(bearer token: String) async throws -> Principal {
        switch token {
        case "anna", "bert": .user(.init(id: token, username: token, isAdmin: false, sessionId: "s-\(token)"))
        case "root": .user(.init(id: token, username: token, isAdmin: true, sessionId: "s-root"))
        default: throw ServiceError.unauthorized(code: "token_expired", "The access token has expired.")
        }
    }

    func principal(apiKey: String) async throws -> Principal {
        guard apiKey == "machine-key" else { throw ServiceError.unauthorized("The API key is unknown.") }
        return .host(tokenId: "h1", name: "buoy")
    }
}

/// A service with the notes feature on a database of its own.
struct TestService {
    let feature = NotesFeature()
    let store: any Store
    /// The file of the database with SQLite.
    let path: String
    let wallClock = ManualWallClock()
    let metrics = PrometheusRegistry(prefix: "tides_")
    let log = LogRecorder()
    var limits = ServiceLimits()
    var clock: any Clock<Duration> = ContinuousClock()
    var supervision: Supervision?
    var address: ServiceAddress?
    var trustedProxies = TrustedProxies.none
    var corsOrigins = CORSOrigins.none
    var showsViewer = true
    var pages = PageStyle.standard
    var jobs: [JobHandler] = []
    /// Features beside the notes.
    var others: [any FeatureService] = []
    var tracer: any Tracer = NoOpTracer()

    init(directory: String) async throws {
        path = "\(directory)/data/notes.db"
        store = try await StoreEngine.chosen.open(path, logger: log.logger())
    }

    /// The log lines so far.
    var logLines: [String] { log.lines }

    /// Returns once `isMet` holds, for conditions that no injected clock controls.
    func waitUntil(_ isMet: (TestService) -> Bool) async throws {
        try await eventually(isMet(self))
    }

    func close() async throws { try await StoreEngine.close(store) }

    func application(
        port: Int = 0, onListening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> ServiceApplication {
        try ServiceApplication(
            features: [feature] + others, store: store, authenticator: SampleAuthenticator(), jobs: jobs,
            options: ServiceOptions(
                port: port, limits: limits, name: "tides", showsViewer: showsViewer, pages: pages,
                supervision: supervision,
                address: address,
                trustedProxies: trustedProxies,
                corsOrigins: corsOrigins),
            metrics: metrics,
            wallClock: wallClock, clock: clock, tracer: tracer, logger: log.logger(), onListening: onListening)
    }
}

/// Starts a service, runs `body` against it, and removes its files.
func withService(
    _ setup: TestingSetup = .router, configure: @Sendable (inout TestService) -> Void = { _ in },
    _ body: @escaping @Sendable (TestService, Client) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        var service = try await TestService(directory: directory)
        configure(&service)
        let ready = service
        let application = try ready.application()
        try await application.prepare()
        try await application.application().test(setup) { client in
            try await body(ready, Client(client: client))
        }
        try await ready.close()
    }
}

/// Sends requests as anna by default.
struct Client: Sendable {
    let client: any TestClientProtocol

    func send(
        _ method: HTTPRequest.Method, _ uri: String, as token: String? = "anna", headers: HTTPFields = [:],
        body: Data? = nil, type: String? = "application/json"
    ) async throws -> Reply {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        if body != nil, let type { headers[.contentType] = type }
        let response = try await client.execute(
            uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) })
        return Reply(response)
    }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, as token: String? = "anna", headers: HTTPFields = [:],
        json: String
    ) async throws -> Reply {
        try await send(method, uri, as: token, headers: headers, body: Data(json.utf8))
    }
}

struct Reply: Sendable, Hashable {
    var status: Int
    var headers: HTTPFields
    var body: Data

    init(_ response: TestResponse) {
        status = response.status.code
        headers = response.headers
        body = Data(response.body.readableBytesView)
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value { try WireJSON.decode(type, from: body) }

    /// The problem document. Records an issue when it is malformed or incomplete.
    func problem(_ location: SourceLocation = #_sourceLocation) throws -> Problem {
        #expect(headers[.contentType] == MediaType.problem, sourceLocation: location)
        let problem = try decoded(Problem.self)
        #expect(problem.status == status, sourceLocation: location)
        #expect(problem.requestId == headers[.xRequestId] && problem.requestId != nil, sourceLocation: location)
        #expect(problem.code?.isEmpty == false, sourceLocation: location)
        #expect(headers[.xContentTypeOptions] == "nosniff", sourceLocation: location)
        return problem
    }
}
