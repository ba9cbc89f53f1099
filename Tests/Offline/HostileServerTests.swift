import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// A server that says what it likes. Whatever it is: no crash, no hang, nothing written here is lost, and with an honest
/// server the next run goes on.
@Suite struct `A hostile server` {
    let server = FakeSyncServer()

    // MARK: - Pages

    @Test(
        arguments: [
            "", "null", "[]", "{}", "<html>login</html>", "{\"changes\":[", "\u{0}\u{0}",
            Hostile.page(#""x""#), Hostile.page("[1]"), Hostile.page("[null]"),
            Hostile.page(Hostile.row(id: "7", version: "1")),
            Hostile.page(Hostile.row(version: #""one""#)), Hostile.page(Hostile.row(version: "1.5")),
            Hostile.page(Hostile.row(version: "1e300")), Hostile.page(Hostile.row(version: "null")),
            Hostile.page(Hostile.row(operation: "explode")), Hostile.page(Hostile.row(data: "[]")),
            Hostile.page(Hostile.row(data: #""text""#)), Hostile.page(Hostile.row(time: "yesterday")),
            Hostile.page(Hostile.row(time: "2026-13-45T99:99:99Z")),
            Hostile.page(hasMore: #""yes""#), Hostile.page(cursor: "null"), Hostile.page(cursor: "7"),
            Hostile.page(cursor: "\"\(String(repeating: "c", count: 4097))\""),
            Hostile.page(upTo: #""all""#), Hostile.page(isReplacement: "null"),
            Hostile.page(Hostile.row(data: String(repeating: "[", count: 100_000))),
            Hostile.page(
                Hostile.row(
                    data: #"{"text":"# + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000) + "}"
                )),
        ])
    func `nothing of a page that cannot be read is stored`(page: String) async throws {
        let home = try await prepared()
        let before = (try await home.content(), try await home.engine.storedCursor())
        let error = await #expect(throws: DomainError.self) { try await hostile(home, pages: [page]).sync() }
        #expect(error.map { !"\($0)".isEmpty } ?? false)
        #expect(try await home.content() == before.0)
        #expect(try await home.engine.storedCursor() == before.1)
        try await expectRecovery(of: home)
    }

    @Test(
        arguments: [
            Hostile.row(id: #""""#), Hostile.row(id: #""\u0000""#),
            Hostile.row(id: "\"\(String(repeating: "x", count: 100_000))\""), Hostile.row(version: "-5"),
            Hostile.row(version: "0"), Hostile.row(version: "9223372036854775807"),
            Hostile.row(version: "-9223372036854775808"), Hostile.row(data: "null"), Hostile.row(data: "{}"),
            Hostile.row(data: #"{"text":7}"#), Hostile.row(data: #"{"text":null}"#),
            Hostile.row(data: #"{"text":{"a":["b"]},"mark":[1,2.5,true]}"#),
            Hostile.row(data: #"{"text":"x","later":{"deep":[{"er":1e300}]},"":""}"#),
            Hostile.row(data: #"{"id":"other","version":"x","updated_at":7,"text":"x"}"#),
            Hostile.row(operation: "delete", data: #"{"text":"x"}"#), Hostile.row(operation: "delete"),
            Hostile.row(time: "0001-01-01T00:00:00Z"), Hostile.row(time: "9999-12-31T23:59:59.999Z"),
            Hostile.row(collection: ""), Hostile.row(collection: "base_row; DROP TABLE outbox"),
            Hostile.row() + "," + Hostile.row(data: #"{"text":"again"}"#) + "," + Hostile.row(operation: "delete"),
            Hostile.row(id: #""mine""#, version: "1"), Hostile.row(id: #""mine""#, operation: "delete"),
            Hostile.row(id: #""a""#, version: "900", operation: "delete"),
        ])
    func `odd rows of the server lose no local write`(row: String) async throws {
        let home = try await prepared()
        for isReplacement in ["false", "true"] {
            let page = Hostile.page(row, isReplacement: isReplacement)
            _ = try? await hostile(home, pages: [page]).sync()
        }
        try await expectRecovery(of: home)
    }

    @Test(arguments: [true, false])
    func `a server whose pages never end gives an error`(withRows: Bool) async throws {
        let home = try await prepared()
        let link = HostileLink(home.link)
        let count = Mutex(0)
        link.pull = { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let rows = withRows ? Hostile.row(id: "\"r\(number % 3)\"", version: "7") : ""
            return Hostile.page(rows, cursor: "\"c\(number)\"", hasMore: "true")
        }
        await #expect(throws: DomainError.self) { try await engine(home, link).sync() }
        #expect(count.withLock { $0 } < 500)
        try await expectRecovery(of: home)
    }

    @Test(arguments: [SyncCode.epochChanged, SyncCode.scopeChanged, SyncCode.cursorExpired, SyncCode.invalidCursor])
    func `a server that refuses every cursor is asked twice, and nothing is lost`(code: String) async throws {
        let home = try await prepared()
        let link = HostileLink(home.link)
        let count = Mutex(0)
        link.refusePull = { _ in
            count.withLock { $0 += 1 }
            return .conflict(SyncServerModel.problem(409, code))
        }
        await #expect(throws: DomainError.self) { try await engine(home, link).sync() }
        #expect(count.withLock { $0 } <= 3)
        try await expectRecovery(of: home)
    }

    @Test(arguments: [413, 414, 431])
    func `a cursor that is too long for a URL is given up for a snapshot`(status: Int) async throws {
        let home = try await prepared()
        let link = HostileLink(home.link)
        link.refusePull = { $0.cursor == nil ? nil : .status(status, nil) }
        let (digests, pulls) = (home.link.digestRequests, server.with(\.pulls.count))
        _ = try await engine(home, link).sync()
        #expect(server.with(\.pulls).dropFirst(pulls).allSatisfy { $0 == nil })
        #expect(home.link.digestRequests > digests, "The run came to its end.")
        #expect(try await home.store.entries().isEmpty)
        try await expectRecovery(of: home)
    }

    @Test(arguments: ["page", "cursor"])
    func `a snapshot with a mark that is too long stores nothing of it`(member: String) async throws {
        let home = try await prepared()
        let before = try await home.engine.storedCursor()
        server.with { $0.epoch += 1 }
        let link = HostileLink(home.link)
        let end = member == "page" ? "" : #","up_to":3,"rows":0"#
        link.snapshot = { "{\"\(member)\":\"\(String(repeating: "c", count: 5000))\"\(end)}\n" }
        await #expect(throws: DomainError.self) { try await engine(home, link).sync() }
        #expect(try await home.engine.storedCursor() == before)
        #expect(try await home.engine.storedPage() == nil)
        try await expectRecovery(of: home)
    }

    // MARK: - Results

    @Test(
        arguments: [
            "", "null", "{}", #"{"results":null}"#, #"{"results":[]}"#, #"{"results":[7]}"#,
            #"{"results":[{"id":"nobody","status":"applied","version":9}]}"#,
            #"{"results":[{"id":"ID","status":"perhaps"}]}"#,
            #"{"results":[{"id":"ID","status":"applied","version":"x"}]}"#,
            #"{"results":[{"id":"ID","status":"deferred"},{"id":"ID","status":"deferred"}]}"#,
            #"{"results":[{"id":"ID","status":"rejected","error":{"title":"t","status":503}}]}"#,
            // Another row in a conflict about ours.
            """
            {"results":[{"id":"ID","status":"conflict","current":{"collection":"notes","id":"a","version":900,
            "updated_at":"2026-11-21T09:00:00Z","operation":"put","data":{"text":"stranger"}}}]}
            """,
        ])
    func `a write with an odd result stays queued and is sent again`(results: String) async throws {
        let home = try await prepared()
        let link = HostileLink(home.link)
        link.push = { batch in
            results.replacing("ID", with: batch.mutations.first?.id ?? "")
        }
        for _ in 0..<3 { _ = try? await engine(home, link).sync() }
        let entry = try #require(try await home.store.entries().first)
        #expect(entry.state == .inflight || entry.state == .pending)
        #expect(try await home.note("mine")?.text == "typed here")
        try await expectRecovery(of: home)
    }

    // MARK: - Digests and snapshots

    @Test(
        arguments: [
            "", "{}", #"{"epoch":"1","up_to":UPTO,"collections":[]}"#,
            #"{"epoch":"1","up_to":UPTO,"collections":[{"collection":"notes","count":-1,"hash":"zz","buckets":[]}]}"#,
            """
            {"epoch":"1","up_to":UPTO,"collections":[{"collection":"notes","count":9,"hash":"zz","buckets":[
            {"bucket":-1,"count":9223372036854775807,"hash":"x"},{"bucket":70000,"count":-4,"hash":""}]}]}
            """,
        ],
        [
            "", "garbage\n", "[]\n", #"["notes","x",1,0,{"text":"x"}]"# + "\n",
            #"["notes","a","one",0,{}]"# + "\n{\"up_to\":1,\"rows\":1}\n",
            #"["notes","a",9223372036854775807,9223372036854775807,{"text":7}]"# + "\n{\"up_to\":1,\"rows\":1}\n",
            #"["other","a",5,-9223372036854775808,{"text":"x"}]"# + "\n{\"up_to\":1,\"rows\":1}\n",
            "{\"up_to\":1,\"rows\":0}\n",
        ])
    func `a false digest costs no write`(digest: String, snapshot: String) async throws {
        let home = try await prepared()
        let link = HostileLink(home.link)
        link.digest = { [server] in
            digest.replacing("UPTO", with: "\(server.with { $0.seq })")
        }
        link.snapshot = { snapshot }
        // It stays queued meanwhile; what the server has, it may say is gone.
        link.push = { _ in "{\"results\":[]}" }
        for _ in 0..<2 { _ = try? await engine(home, link).sync() }
        #expect(try await home.note("mine")?.text == "typed here")
        try await expectRecovery(of: home)
    }

    // MARK: - Random ones

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a garbled response costs no write`(seed: UInt64) async throws {
        let home = try await prepared()
        let link = HostileLink(home.link)
        let random = Mutex(SeededRandom(seed: seed))
        link.garble = { text in random.withLock { Hostile.garbled(text, &$0) } }
        for round in 0..<15 {
            server.put("notes", "r\(round)", ["text": "theirs"])
            _ = try? await engine(home, link).sync()
            #expect(try await home.note("mine")?.text == "typed here")
        }
        try await expectRecovery(of: home)
    }

    // MARK: - Tools

    /// A home with agreed rows and one write on its way.
    private func prepared() async throws -> Home {
        for id in ["a", "b", "c"] { server.put("notes", id, ["text": .string(id)]) }
        let home = try await Home(server)
        try await home.sync()
        try await home.create("mine", "typed here")
        return home
    }

    private func hostile(_ home: Home, pages: [String]) -> SyncEngine {
        let link = HostileLink(home.link)
        let left = Mutex(pages)
        link.pull = { _ in left.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        // The write stays queued meanwhile.
        link.push = { _ in "{\"results\":[]}" }
        link.digest = { "{}" }
        return engine(home, link)
    }

    private func engine(_ home: Home, _ link: HostileLink) -> SyncEngine {
        SyncEngine(
            database: home.database, client: link, clock: home.clock, wallClock: home.wallClock, log: Home.quiet)
    }

    /// With an honest server everything is as it should be.
    private func expectRecovery(of home: Home) async throws {
        // A lie may have been believed: the cursor is then one that no honest server wrote, which it refuses.
        server.with { $0.epoch += 1 }
        for _ in 0..<3 {
            _ = try? await home.sync()
            for conflict in try await home.store.conflicts() {
                try await home.store.resolve(conflict.id, keeping: .local)
            }
        }
        try await home.sync()
        #expect(try await home.store.entries().isEmpty)
        #expect(try await home.note("mine")?.text == "typed here")
        #expect(server.live("notes")["mine"] == ["text": "typed here"])
        #expect(try await home.content() == server.live("notes"))
        #expect(server.with { Set($0.effects).count == $0.effects.count && $0.broken.isEmpty })
    }
}

/// Texts that no honest server sends.
enum Hostile {
    static func page(
        _ rows: String = "", cursor: String = #""1/3/0/0""#, hasMore: String = "false", upTo: String = "3",
        isReplacement: String = "false"
    ) -> String {
        """
        {"changes":[\(rows)],"cursor":\(cursor),"has_more":\(hasMore),"is_replacement":\(isReplacement),"up_to":\(upTo),"head":3}
        """
    }

    static func row(
        collection: String = "notes", id: String = #""odd""#, version: String = "4",
        time: String = "2026-11-21T09:00:00Z", operation: String = "put", data: String = #"{"text":"odd"}"#
    ) -> String {
        """
        {"collection":"\(collection)","id":\(id),"version":\(version),"updated_at":"\(time)","operation":"\(operation)","data":\(data)}
        """
    }

    /// `text` with a few bytes cut, doubled or replaced.
    static func garbled(_ text: String, _ random: inout SeededRandom) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0..<3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeSubrange(place...)
            case 1: bytes[place] = Array("0123456789-\"{}[],:nulltrue".utf8).randomElement(using: &random) ?? 0
            case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 40)], at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + 9))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A link on which answers are replaced by other texts; `nil` leaves one as it is.
// Sendable proof: the closures are set before the link is used.
final class HostileLink: APIClient, @unchecked Sendable {
    private let honest: FakeLink
    var pull: @Sendable (PullChanges) -> String? = { _ in nil }
    var push: @Sendable (MutationBatch) -> String? = { _ in nil }
    var digest: @Sendable () -> String? = { nil }
    var snapshot: @Sendable () -> String? = { nil }
    var refusePull: @Sendable (PullChanges) -> NetworkError.Kind? = { _ in nil }
    var garble: @Sendable (String) -> String = { $0 }

    init(_ honest: FakeLink) { self.honest = honest }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        let text: String?
        switch endpoint {
        case let pull as PullChanges:
            if let kind = refusePull(pull) { throw NetworkError(kind) }
            text = self.pull(pull)
        case let push as PushMutations: text = self.push(push.batch)
        case is FetchDigest: text = digest()
        default: text = nil
        }
        var answer = text
        if answer == nil {
            let honest = try await honest.response(to: endpoint, options: options).value
            guard let encodable = honest as? any Encodable, let bytes = try? WireJSON.encode(encodable) else {
                throw NetworkError(.unexpected("an answer that cannot be written"))
            }
            answer = String(decoding: bytes, as: UTF8.self)
        }
        do {
            let value = try WireJSON.decode(E.Response.self, from: Data(garble(answer ?? "").utf8))
            return APIResponse(head: ResponseHead(status: 200), value: value)
        } catch {
            throw NetworkError(.decoding(error))
        }
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        guard let text = snapshot() else {
            return try await honest.stream(endpoint, options: options, receive: receive)
        }
        do {
            return try await receive(
                ResponseHead(status: 200),
                AsyncThrowingStream { continuation in
                    continuation.yield(Data(text.utf8))
                    continuation.finish()
                })
        } catch let error as WireJSON.Failure {
            throw NetworkError(.decoding(error))
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.unexpected("\(error)"))
        }
    }
}
