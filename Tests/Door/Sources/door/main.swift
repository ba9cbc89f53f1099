import Foundation
import StrataCaching
import StrataDomain
import StrataHTTPCache
import StrataNetworking

struct Echo: Codable, Sendable {
    var path: String
    var user: String
}

struct GetEcho: RoutedEndpoint, FailingEndpoint {
    typealias Failure = Echo
    static let route = Route.get("/echo/{word}")
    typealias Response = Echo
    @Path var word: String
}

let session = SessionTokens(access: Secret("access"), refresh: Secret("refresh"), expiresAt: .distantFuture)
let base = try HTTPAPIClient(
    baseURL: HTTPURL("http://door.test"), transport: EchoTransport(), auth: .bearer(Tokens(session)),
    resilience: Resilience(), interceptors: [UserInterceptor()],
    cache: [HTTPCacheInterceptor(store: EmptyHTTPCacheStore())])
let client: any APIClient & RawClient & Uploader = ForwardingClient(base)
let tokens: any TokenStore = Tokens(session)
try await tokens.withLock { try await tokens.clear() }

do {
    let echo = try await client.send(GetEcho(word: "hello"))
    let bytes = try await client.bytes(GetEcho(word: "bytes"), upTo: 1 << 20)
    let raw = try await client.collect(
        RawRequest(.get, "/echo/raw"), upTo: 1 << 20, options: CallOptions(), events: { _ in })
    let notes = try await EntityUseCases<Note>(NoNotes()).list().value
    let reader = CachedReader(cache: EmptyCache())
    let read = try await reader.read(Echo.self, CacheKey(principal: "ada", path: "/echo")) {
        () async throws(DomainError) in echo
    }
    print("door: \(echo.path) \(echo.user) \(bytes.count) \(raw.head.status) \(notes.count) \(read.value.user)")
} catch {
    print("door: failed: \(error)")
}
