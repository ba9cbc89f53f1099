import Foundation
import StrataClient
import StrataHTTPCache
import StrataTesting

// The code of the table "A line each" in Docs/Examples/README.md. It is compiled and never run; `Scripts/check examples` looks for the code
// of each row here.

struct Item: Codable, Sendable { var id: Int }
struct ListItems: RoutedEndpoint {
    static let route = Route.get("/items")
    typealias Response = [Item]
    @Query var startingAfter: String?
}

// MARK: Clients

func clients(url: String, secret: Secret, key: Secret) throws {
    _ = try StrataClient(url, token: secret)
    _ = try StrataClient(url, auth: .token(secret))
    _ = try StrataClient(url, auth: .basic(user: "ada", password: secret))
    _ = try StrataClient(url, auth: .basic(user: key.reveal(), password: Secret("")))
    _ = try StrataClient(url, auth: .apiKey(key, in: .header("X-API-Key")))
    _ = try StrataClient(url, auth: .apiKey(key, in: .query("appid")))
    _ = try StrataClient(url, http: AsyncHTTPOptions(identity: .pem(certificates: "c.pem", key: "k.pem")))
    _ = try StrataClient(url, http: AsyncHTTPOptions(proxy: .http(host: "proxy", port: 3128)))
    _ = try StrataClient(url, http: AsyncHTTPOptions(proxy: .none))
    _ = try StrataClient(url, options: ClientOptions(headers: ["Api-Version": "3"]))
    _ = try ClientOptions(trustedOrigins: [HTTPURL("https://files.example.com").origin])
    _ = try ClientOptions(json: .snakeCase(dates: .rfc3339))
    _ = try ClientOptions(json: .snakeCase(dates: .secondsSince1970))
}

func stored(url: String, server: OAuthServer, store: some TokenStore, text: String, folder: String) async throws {
    let oauth = try OAuth(server: server, client: .public(id: "tides"))
    _ = try StrataClient(
        url, auth: .bearer(try OAuth(server: server, client: .public(id: "tides")).session(in: store)))
    let session = oauth.session(in: store)
    try await store.write(SessionTokens(access: Secret("none"), refresh: Secret(text), expiresAt: .now))
    let tokens = try await oauth.authorizationCode(scope: "read", store: FileTokenStore(directory: folder), port: 8976)
    { url in print(url) }
    _ = tokens
    _ = session
}

func installed(session: RefreshingTokenProvider, tokens: SessionTokens) async throws {
    try await session.install(tokens)
}

// MARK: Calls

struct AddNote: RoutedEndpoint {
    static let route = Route.post("/notes")
    typealias Response = Item?
    @Header var xTrace = "on"
    @Header var stripeAccount: String
    static let json = JSONForm.asDeclared(dates: .millisecondsSince1970)
}
struct DropNote: RoutedEndpoint {
    static let route = Route.delete("/notes")
    typealias Response = NoContent
    var options: CallOptions { CallOptions(retry: .never) }
}

func calls(client: StrataClient, url: String, key: String) async throws {
    _ = try await client.send(
        AddNote(stripeAccount: "acct_1"), options: CallOptions(headers: ["Authorization": "Bearer …"]))
    _ = try await client.send(url, as: Item.self)
    _ = client.events(url)
    _ = try await client.send(URLEndpoint<Item>(url, method: .post))
    let response = try await client.response(to: ListItems())
    _ = (response.value, response.head.headers["ETag"], response.head.rateLimit?.remaining)
    try await client.delete("/items/{id}", ["id": 7])
    _ = try await client.send(AddNote(stripeAccount: "acct_1"), options: CallOptions(retry: .never))
    _ = try await client.send(AddNote(stripeAccount: "acct_1"), options: CallOptions(retry: .asIdempotent))
    _ = try await client.send(AddNote(stripeAccount: "acct_1"), options: CallOptions(idempotencyKey: key))
    _ = try await client.send(AddNote(stripeAccount: "acct_1"), options: CallOptions(deadline: .seconds(5)))
    _ = try await client.send(
        AddNote(stripeAccount: "acct_1"), options: CallOptions(deadline: .seconds(600), attemptTimeout: .seconds(600)))
    _ = try client.curl(for: ListItems())
}

// MARK: Parameters and bodies

enum Level: String, ParameterValue { case low, high }
struct Search: RoutedEndpoint {
    static let route = Route.get("/search")
    typealias Response = [Item]
    @Query var ids: [Int]
    @CommaQuery var levels: [Level]
    @SpaceQuery var words: [String]
    @PipeQuery var weights: [Decimal]
    @BracketQuery var kinds: [String]
}
struct Charges: RoutedEndpoint {
    static let route = Route.get("/charges")
    typealias Response = [Item]
    @Query var createdFrom: Int?
    @Query var limit: Int?
    @Query var startingAfter: String?
    enum CodingKeys: String, CodingKey {
        case createdFrom = "created[gte]"
        case limit, startingAfter
    }
}
struct Charge: FormBody {
    var tags: [String]
    enum CodingKeys: String, CodingKey { case tags = "tags[]" }
}

func byPath(client: StrataClient, charge: Charge, baseURL: HTTPURL, url: HTTPURL) async throws {
    let body = try await client.bytes(ListItems(), upTo: 1 << 20)
    try await client.post("/charges", body: charge)
    let response = try await client.response(to: PathEndpoint<Item>(.get, "/items/{id}", ["id": 7]))
    print(body, response.value, baseURL.relativePath(of: url) ?? "")
}

// MARK: Values and errors

enum Status: String, Codable, Sendable { case paid }
struct Invoice: Codable, Sendable {
    var status: Open<Status>
    var fields: [String: JSONValue]
}
struct BillingError: Decodable, Sendable { var message: String }
struct AddCharge: RoutedEndpoint, FailingEndpoint {
    static let route = Route.post("/charges")
    typealias Response = Item
    typealias Failure = BillingError
    @Body var charge: Charge
}

func values(_ invoice: Invoice, _ error: NetworkError) throws {
    _ = invoice.status.known == .paid
    if case .unknown(let text) = invoice.status { print(text) }
    _ = error.failure(of: AddCharge.self)
    _ = try error.response?.decode(BillingError.self)
    let wait = error.rateLimit?.reset ?? error.retryAfter
    print(error)
    switch error.kind {
    case .timeout, .unauthorized: print(wait ?? .zero)
    default: break
    }
}

// MARK: Jobs, streams and pages

struct Export: Codable, Sendable, RoutedEndpoint {
    static let route = Route.get("/export")
    typealias Response = Export
    var isReady: Bool { true }
}
struct GetExport: RoutedEndpoint {
    static let route = Route.get("/exports/{id}")
    typealias Response = Export
    @Path var id: Int
}
struct GetFile: RoutedEndpoint {
    static let route = Route.get("/files/{id}")
    typealias Response = Export
    @Path var id: Int
}
struct Note: Codable, Sendable { var id: String }
struct NotePage: Codable, Sendable {
    var data: [Note]
    var hasMore: Bool
    var next: String? { hasMore ? data.last?.id : nil }
}
struct ListNotes: RoutedEndpoint {
    static let route = Route.get("/notes")
    typealias Response = NotePage
    @Query var startingAfter: String?
}
struct Row: Codable, Sendable {}

func streams(client: StrataClient, location: String, accepted: APIResponse<Item>, id: Int) async throws {
    _ = try await client.poll(location, relativeTo: accepted.url, as: Export.self)
    _ = try await client.poll(GetExport(id: 7))
    _ = try await client.poll(GetFile(id: id), until: { $0.value.isReady }).value
    _ = try await client.poll(
        GetExport(id: 7), every: .seconds(1), options: CallOptions(deadline: .seconds(60)), until: { _ in true })
    for try await event in client.events("/changes", ["kind": "update"]) {
        print(event.event, try event.decode(Status.self))
    }
    for try await _ in client.events("/changes", options: CallOptions(deadline: .seconds(60))) {}
    for try await item in client.pages(ListItems(), next: .link).items(\.self) { print(item) }
    for try await item in client.pages(ListNotes(), next: .cursor(\.next, into: \.startingAfter), upTo: 10_000)
        .items(\.data).prefix(100)
    { print(item) }
    for try await row in client.json(Export(), of: Row.self) { print(row) }
    for try await line in client.lines(Export()) { print(line) }
}

// MARK: Files

struct AddPicture: RoutedEndpoint {
    static let route = Route.post("/pictures")
    typealias Response = Item
}

func files(client: StrataClient, path: String) async throws {
    let file = try await DiskFileBodies().body(ofFileAt: path, contentType: "image/png")
    let body = try MultipartForm([.field("note", "a cat"), .file("file", named: path, file)]).body()
    let progress = TransferProgress()
    Task { for await count in progress.updates { print(count.bytes) } }
    defer { progress.finish() }
    _ = try await client.upload(AddPicture(), body: body.counted(by: progress)).value
    _ = DownloadRequest(path: path, progress: progress)
    Task { for await count in progress.updates { print(count.bytes, count.total ?? 0) } }
}

// MARK: Caches and tests

func caches(client: StrataClient, url: String, folder: String, store: TwoTierHTTPCacheStore, cache: CachedReader)
    async throws
{
    _ = try StrataClient(url, cache: [HTTPCacheInterceptor(store: TwoTierHTTPCacheStore(directory: folder))])
    _ = HTTPCacheInterceptor(store: store, options: HTTPCacheOptions(rules: CacheRules(heuristicLifetime: 60)))
    let read = try await CachedReader(directory: folder).read(
        ListItems(), through: client, options: ReadOptions(lifetime: .seconds(600)))
    switch read.origin {
    case .server, .local, .cache(storedAt: _): print(read.value)
    case .stale(let date, let reason): print(date, reason)
    }
    for policy in [ReadPolicy.cacheFirst, .refresh, .mustAsk, .cacheOnly] {
        _ = try await cache.read(ListItems(), through: client, policy: policy)
    }
    _ = try await cache.read(ListItems(), through: client, policy: .refresh)
    await cache.drain(upTo: .seconds(1))
    _ = try StrataClient(url, interceptors: [WriteWatch { _ in await cache.invalidate(tag: "/items") }])
}

func doubles(base: some Transport, clock: ContinuousClock, server: ScriptedTransport) throws {
    print(server.requests[0].body?.bytes ?? Data(), server.requests[0].url)
    let transport = FaultyTransport(AsyncHTTPTransport(), clock: ContinuousClock()) { number in
        number == 2 ? .serverError(503) : nil
    }
    _ = try HTTPAPIClient(baseURL: HTTPURL("https://api.example.com"), transport: transport, resilience: Resilience())
    _ = FaultyTransport(base, seed: 7, rate: 0.2, clock: clock)
}
