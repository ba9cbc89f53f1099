import AccountsDomain
import AccountsService
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import StrataConcurrency
import StrataDomain
import StrataSQLite
import StrataService
import StrataTesting

@testable import StrataServerProgram
@testable import shiftlog_server

/// The server with every feature, without a socket, on a database that fails on demand.
struct ProblemRig: Sendable {
    static let password = "a good password"

    /// What differs from the server's defaults.
    struct Setup: Sendable {
        var limits = ServiceLimits()
        var allowsSignIn = true
        var mailFrom: MailAddress?
        var address: ServiceAddress?
    }

    /// A response, and the operation that sent it.
    struct Answer: Sendable {
        var operation: String
        var status: Int
        var headers: HTTPFields
        var body: Data

        /// The members of a JSON object; none for any other body.
        var members: [String: JSONValue] { (try? WireJSON.decode(JSONValue.self, from: body))?.object ?? [:] }
        subscript(name: String) -> String { members[name]?.string ?? "" }
        var code: String { self["code"] }
    }

    let store: FaultyStore
    let clock: ManualWallClock
    let attachments: String
    private let http: any TestClientProtocol

    /// Runs `body` with the server, an administrator `root` and a member `ada`.
    static func with(
        _ setup: Setup = Setup(), _ body: @escaping @Sendable (ProblemRig) async throws -> Answer
    ) async throws -> Answer {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let store = FaultyStore(
            base: try await SQLiteStore.open(SQLiteLocation(path: directory.file("data.db"))))
        let clock = ManualWallClock()
        let keys = try SigningKeys(secret: Secret("a signing secret for tests, 32 bytes and more"))
        let accounts = AccountsService(
            store: store, keys: keys,
            accessTokens: try await AccessTokens(
                keys: keys, issuer: { "https://shiftlog.example" }, audience: "shiftlog"),
            refreshTokens: RefreshTokens(store: store, metrics: PrometheusRegistry(), logger: .silent),
            hasher: PasswordHasher(
                cost: ScryptCost(rounds: 16, blockSize: 8, parallelism: 1) ?? .recommended, pool: BlockingPool()),
            throttle: LoginThrottle(keys: keys, failures: 2), events: LoginEvents(logger: .silent), clock: clock,
            allowsSignIn: setup.allowsSignIn, mailFrom: setup.mailFrom)
        let settings = try ServerProgram.$current.withValue(ShiftlogServer.program) {
            try Settings(environment: [
                "HOME": directory.path, "SHIFTLOG_ATTACHMENT_DIRECTORY": directory.file("attachments"),
            ])
        }
        let features: [any FeatureService] = [accounts] + Features(settings, store: store).list
        let service = try ServiceApplication(
            features: features, store: store, authenticator: accounts,
            options: ServiceOptions(limits: setup.limits, address: setup.address), wallClock: clock, logger: .silent)
        try await service.prepare()
        for feature in features { try await feature.prepare() }
        try await accounts.createUser(username: "root", role: .admin, password: Secret(password))
        try await accounts.createUser(username: "ada", role: .member, password: Secret(password))
        let answer = try await service.application().test(.router) { client in
            try await body(
                ProblemRig(
                    store: store, clock: clock, attachments: directory.file("attachments"), http: client))
        }
        try await store.base.close()
        return answer
    }

    /// - Parameters:
    ///   - operation: Method and template, as in the document: `GET /v1/runbooks/{id}`.
    ///   - path: What the template is filled with; `nil` for a template without parameters.
    func send(
        _ operation: String, _ path: String? = nil, token: String? = nil, headers: HTTPFields = [:],
        type: String? = nil, _ body: String? = nil
    ) async throws -> Answer {
        let parts = operation.split(separator: " ").map(String.init)
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        if body != nil, headers[.contentType] == nil { headers[.contentType] = type ?? "application/json" }
        let response = try await http.execute(
            uri: path ?? parts[1], method: HTTPRequest.Method(parts[0]) ?? .get, headers: headers,
            body: body.map { ByteBuffer(string: $0) })
        return Answer(
            operation: operation, status: response.status.code, headers: response.headers,
            body: Data(response.body.readableBytesView))
    }

    func login(_ name: String = "root", password: String = Self.password) async throws -> Answer {
        try await send("POST /v1/sessions", nil, #"{"username":"\#(name)","password":"\#(password)"}"#)
    }

    /// An access token.
    func token(_ name: String = "root") async throws -> String { try await login(name)["access_token"] }

    /// A new runbook.
    func runbook(_ token: String) async throws -> Answer {
        try await send("POST /v1/runbooks", token: token, #"{"title":"Restart","body":"Turn it off and on."}"#)
    }

    /// The id of a new attachment.
    func attachment(_ token: String) async throws -> String {
        let entry = try await send("POST /v1/journal/entries", token: token, #"{"host":"web-1","text":"smoke"}"#)
        return try await upload(token, to: entry["id"])["id"]
    }

    func upload(_ token: String, to entry: String) async throws -> Answer {
        let form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nsmoke\r\n--b--\r\n"
        return try await send(
            "POST /v1/journal/entries/{id}/attachments", "/v1/journal/entries/\(entry)/attachments", token: token,
            type: "multipart/form-data; boundary=b", form)
    }

    /// The only stored file.
    var file: String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: attachments)) ?? []
        return attachments + "/" + (names.first { $0 != "incoming" } ?? "")
    }

    /// New codes of a device.
    func codes() async throws -> Answer { try await form("POST /v1/oauth/device_authorization", "client_id=x") }

    /// Asks for the reset of a password.
    func reset() async throws -> Answer { try await send("POST /v1/password-resets", nil, #"{"username":"ada"}"#) }

    func poll(_ codes: Answer) async throws -> Answer {
        try await form(
            "POST /v1/oauth/token",
            "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=\(codes["device_code"])")
    }

    func form(_ operation: String, _ fields: String) async throws -> Answer {
        try await send(operation, type: "application/x-www-form-urlencoded", fields)
    }
}

/// A store whose next transactions fail, or wait.
final class FaultyStore: Store {
    let base: SQLiteStore
    private let failure = Mutex<StoreError?>(nil)
    private let gates = Mutex<(arrived: Gate, release: Gate)?>(nil)

    init(base: SQLiteStore) { self.base = base }

    /// Every transaction from now on fails.
    func fail(with error: StoreError) { failure.withLock { $0 = error } }

    /// Every write from now on opens `arrived` and waits for `release`.
    func hold(_ arrived: Gate, until release: Gate) { gates.withLock { $0 = (arrived, release) } }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        if let error = failure.withLock({ $0 }) { throw error }
        return try await base.read(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        if let error = failure.withLock({ $0 }) { throw error }
        if let gates = gates.withLock({ $0 }) {
            gates.arrived.open()
            try await gates.release.wait()
        }
        return try await base.write(body)
    }

    func migrate(_ migrations: [StoreMigration]) async throws { try await base.migrate(migrations) }
}
