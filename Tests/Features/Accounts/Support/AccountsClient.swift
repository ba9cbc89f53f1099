import AccountsAPI
import AccountsDomain
import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import NIOCore
import StrataDomain
import Testing

/// Sends endpoints as the client of this project writes them, and reads the answers as it reads them.
struct AccountsClient: Sendable {
    enum Caller: Sendable, Hashable {
        case nobody
        case bearer(String)
        case key(String)
    }

    /// An answer, in this project's own types.
    struct Reply: Sendable {
        var status: Int
        var headers: HeaderFields
        var body: Data

        func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try WireJSON.decode(type, from: body)
        }
    }

    /// An answer that was no success.
    struct Refusal: Error {
        var status: Int
        var problem: Problem
        var headers: HeaderFields
    }

    let client: any TestClientProtocol

    func reply(_ endpoint: some RoutedEndpoint, as caller: Caller = .nobody) async throws -> Reply {
        let request = try endpoint.request()
        var headers = request.headers
        headers["Content-Type"] = request.body?.contentType
        return try await reply(
            request.method.rawValue, request.target, as: caller, headers: headers, body: request.body?.bytes)
    }

    func reply(
        _ method: String, _ target: String, as caller: Caller = .nobody, headers: HeaderFields = [:],
        body: Data? = nil
    ) async throws -> Reply {
        var headers = headers
        switch caller {
        case .nobody: break
        case .bearer(let token): headers["Authorization"] = "Bearer \(token)"
        case .key(let key): headers["X-API-Key"] = key
        }
        var fields = HTTPFields()
        for field in headers {
            fields.append(HTTPField(name: try #require(HTTPField.Name(field.name)), value: field.value))
        }
        let response = try await client.execute(
            uri: target, method: try #require(HTTPRequest.Method(method)), headers: fields,
            body: body.map { ByteBuffer(bytes: $0) })
        var answered = HeaderFields()
        for field in response.headers { answered.add(field.name.rawName, field.value) }
        return Reply(
            status: response.status.code, headers: answered, body: Data(response.body.readableBytesView))
    }

    /// A JSON or form body as another program writes it.
    func post(_ path: String, _ body: String, type: String = "application/json", as caller: Caller = .nobody)
        async throws -> Reply
    {
        try await reply("POST", path, as: caller, headers: ["Content-Type": type], body: Data(body.utf8))
    }

    func send<E: RoutedEndpoint>(_ endpoint: E, as caller: Caller = .nobody) async throws -> E.Response {
        let reply = try await reply(endpoint, as: caller)
        guard reply.status == E.successStatus else {
            throw Refusal(status: reply.status, problem: try reply.decoded(), headers: reply.headers)
        }
        if let none = NoContent() as? E.Response { return none }
        return try reply.decoded()
    }

    /// What `endpoint` is refused with.
    func refusal(
        of endpoint: some RoutedEndpoint, as caller: Caller = .nobody,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Refusal {
        let error = await #expect(throws: Refusal.self, sourceLocation: location) {
            try await send(endpoint, as: caller)
        }
        return try #require(error, sourceLocation: location)
    }

    func login(
        _ username: String = "ada", _ password: Secret = AccountsBackend.password, device: String? = "laptop"
    ) async throws -> TokenPayload {
        try await send(
            CreateSession(
                credentials: Credentials(username: username, password: password.reveal(), device: device)))
    }

    func admin() async throws -> Caller { .bearer(try await login("root").accessToken) }
    func member() async throws -> Caller { .bearer(try await login("ada").accessToken) }
}
