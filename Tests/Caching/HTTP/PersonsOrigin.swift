import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting

@testable import StrataCaching
@testable import StrataHTTPCache

/// A session that changes hands at any moment, and whose tokens are refused or rotated.
final class RestlessSession: TokenProvider {
    private struct State {
        var person: String?
        var generation = 0
        var random: SeededRandom
    }

    private let state: Mutex<State>
    /// Whether tokens tell whose they are.
    let namesAccounts: Bool

    init(seed: UInt64, namesAccounts: Bool) {
        self.namesAccounts = namesAccounts
        state = Mutex(State(random: SeededRandom(seed: seed)))
    }

    static let persons: [String?] = ["ada", "bob", "cyd", nil]

    /// A login, a logout, another's login, or a new token of the same person.
    func change() { state.withLock { Self.change(&$0) } }

    private static func change(_ state: inout State) {
        state.generation += 1
        if Bool.random(using: &state.random) { state.person = persons.randomElement(using: &state.random) ?? nil }
    }

    private static func token(_ state: State) -> Secret? { state.person.map { Secret("\($0).\(state.generation)") } }

    func currentToken() async throws(NetworkError) -> Secret? {
        state.withLock { state in
            let token = Self.token(state)
            // The moment it was given out it may be another person's turn.
            if Int.random(in: 0..<4, using: &state.random) == 0 { Self.change(&state) }
            return token
        }
    }

    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret {
        let token = state.withLock { state in
            if Self.token(state) == rejected { state.generation += 1 }
            return Self.token(state)
        }
        guard let token else { throw NetworkError(.unauthorized(nil)) }
        return token
    }

    func endSession() async { state.withLock { $0.person = nil } }

    func account(of token: Secret) -> String? { namesAccounts ? Self.person(of: token.reveal()) : nil }

    static func person(of token: String) -> String { String(token.prefix { $0 != "." }) }
}

/// Answers each with a body whose every byte says for whom it was made, and with whatever headers.
final class PersonsOrigin: Transport {
    private struct State {
        var random: SeededRandom
        var letters: [String: UInt8] = [:]
        var version = 0
    }

    private let mode: CacheMode
    private let session: RestlessSession
    private let state: Mutex<State>

    private static let many = "many: "
    private static let length = 24
    private static let credentials = ["authorization", "x-api-key", "cookie"]

    init(_ mode: CacheMode, seed: UInt64, _ session: RestlessSession) {
        self.mode = mode
        self.session = session
        state = Mutex(State(random: SeededRandom(seed: seed &* 31 &+ 7)))
    }

    /// For whom the request was really made: each of its credentials counts.
    static func mark(_ headers: HeaderFields) -> String {
        let parts = credentials.compactMap { name in headers[name].map { "\(name)=\(person(in: $0))" } }
        return parts.isEmpty ? "nobody" : parts.joined(separator: "&")
    }

    /// `Bearer ada.4` is a token of Ada's.
    private static func person(in value: String) -> String {
        value.hasPrefix("Bearer ") ? "session " + RestlessSession.person(of: String(value.dropFirst(7))) : value
    }

    /// For whom `byte` was written.
    func mark(of byte: UInt8) -> String? { state.withLock { $0.letters.first { $0.value == byte }?.key } }

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        if roll(5) == 0 { session.change() }
        for _ in 0..<roll(4) { await Task.yield() }
        let (head, body) = answer(request)
        if roll(5) == 0 { session.change() }
        try await receive(ClientResponse(head, body: ResponseBody(body)))
    }

    private func roll(_ sides: Int) -> Int { state.withLock { Int.random(in: 0..<sides, using: &$0.random) } }

    private func answer(_ request: ClientRequest) -> (ResponseHead, Data) {
        state.withLock { state in
            var headers: HeaderFields = [:]
            let control = Self.controls.randomElement(using: &state.random) ?? ""
            let vary = Self.varies.randomElement(using: &state.random) ?? ""
            if !control.isEmpty { headers["Cache-Control"] = control }
            if !vary.isEmpty { headers["Vary"] = vary }
            if Int.random(in: 0..<8, using: &state.random) == 0 { state.version += 1 }
            let mark = mark(request.headers, control, vary)
            let letter = state.letters[mark] ?? UInt8(33 + state.letters.count)
            state.letters[mark] = letter
            let body = Data(repeating: letter, count: Self.length)
            // Within one person's cache equal tags do no harm; between persons the origin must tell them apart.
            let tag = mode == .private ? "\"\(state.version)\"" : "\"\(letter)-\(state.version)\""
            if Int.random(in: 0..<3, using: &state.random) > 0 { headers["ETag"] = tag }
            if request.headers["Authorization"]?.hasPrefix("Bearer ") == true,
                Int.random(in: 0..<6, using: &state.random) == 0
            {
                return (ResponseHead(status: 401, headers: headers), body)
            }
            if let asked = request.headers["If-None-Match"], asked.contains(tag) {
                return (ResponseHead(status: 304, headers: headers), Data())
            }
            if request.headers["Range"] != nil, request.headers["If-Range"].map({ $0 == tag }) ?? true {
                let range = request.headers["Range"] == "bytes=0-7" ? 0..<8 : 8..<Self.length
                headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.length)"
                return (ResponseHead(status: 206, headers: headers), body.prefix(range.count))
            }
            let status = Self.statuses.randomElement(using: &state.random) ?? 200
            return (ResponseHead(status: status, headers: headers), body)
        }
    }

    /// What is said to be for many differs by nothing but what `Vary` names.
    private func mark(_ headers: HeaderFields, _ control: String, _ vary: String) -> String {
        let isForMany = ["public", "s-maxage", "must-revalidate"].contains { control.contains($0) }
        guard mode == .shared, isForMany else { return Self.mark(headers) }
        var named = HeaderFields()
        for name in vary.split(separator: ",").map({ String($0).trimmed }) { named[name] = headers[name] }
        return Self.many + Self.mark(named)
    }

    /// Whether an answer with this mark is for a request with these headers.
    func isMeant(_ mark: String, for headers: HeaderFields) -> Bool {
        let person = Self.mark(headers)
        guard mode == .shared else { return mark == person }
        guard mark.hasPrefix(Self.many) else { return mark == person || mark == "nobody" }
        let parts = mark.dropFirst(Self.many.count).split(separator: "&").filter { $0 != "nobody" }
        return Set(parts).isSubset(of: person.split(separator: "&"))
    }

    private static let statuses = [200, 200, 200, 200, 200, 203, 404, 410, 500, 503]
    private static let varies = [
        "", "", "", "Accept-Language", "Authorization", "Cookie", "Authorization, Cookie, X-Api-Key", "*",
    ]
    private static let controls = [
        "max-age=100", "max-age=100", "max-age=2, stale-while-revalidate=100", "public, max-age=100",
        "public, max-age=2, stale-while-revalidate=100, stale-if-error=100", "private, max-age=100", "s-maxage=100",
        "max-age=3, must-revalidate", "no-cache", "no-store", "max-age=1", "", "public", "immutable, max-age=50",
        "private=\"x\", public, max-age=40", "max-age=0, stale-if-error=100",
    ]
}
