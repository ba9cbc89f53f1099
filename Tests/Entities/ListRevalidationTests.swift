import FoundationEssentials
import StrataCaching
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import SpecimensDomain

/// A stored list is revalidated with the entity tags of its pages.
@Suite struct `Revalidation of a list` {
    /// A list of the server, with a page for each text; the tag of a page names its place and its text.
    private final class Server: Sendable {
        struct State {
            var pages: [String]
            var hasTags = true
            /// The status of each response.
            var said: [Int] = []
        }
        private let state: Mutex<State>
        let client = MockAPIClient()

        init(_ pages: String...) {
            state = Mutex(State(pages: pages))
            client.onResponse(ListEntities<Specimen>.self) { [self] call, options in
                try state.withLock { state -> APIResponse<CursorPage<Stored<Specimen>>> in
                    let place = call.cursor.flatMap { Int($0) } ?? 0
                    let last = state.pages.count - 1
                    let tag = "\"\(place) \(state.pages[place]) \(place == last)\""
                    if options.headers["If-None-Match"] == tag {
                        state.said.append(304)
                        throw NetworkError(.status(304, nil))
                    }
                    state.said.append(200)
                    let item = Stored<Specimen>.example("s-\(place)-\(state.pages[place])")
                    let page = CursorPage(items: [item], nextCursor: place < last ? "\(place + 1)" : nil)
                    let fields: HeaderFields = state.hasTags ? ["ETag": tag] : [:]
                    return APIResponse(head: ResponseHead(status: 200, headers: fields), value: page)
                }
            }
            client.on(CreateEntity<Specimen>.self) { call, _ in
                .example("s-new", try Specimen(fields: call.draft.fields))
            }
            client.fail(UpdateEntity<Specimen>.self, .connectionLost("reset by peer"))
        }

        func change(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

        /// The statuses since the last call.
        func said() -> [Int] {
            state.withLock { state in
                defer { state.said = [] }
                return state.said
            }
        }
    }

    private let clock = ManualWallClock()
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// As a program that runs once has it: on disk only.
    private func repository(_ server: Server) -> (CachedEntityRepository<Specimen>, CachedReader) {
        let reader = CachedReader(
            cache: TwoTierCache(directory: directory.path, clock: clock, logger: .silent), leaseWait: nil, clock: clock,
            logger: .silent)
        let remote = RemoteEntityRepository<Specimen>(
            client: server.client, command: "shiftlog specimens", clock: clock)
        return (CachedEntityRepository(remote: remote, reader: reader, principal: "ada@test"), reader)
    }

    private func ids(
        _ server: Server, _ policy: ReadPolicy = .refresh, _ query: EntityQuery<Specimen> = EntityQuery()
    ) async throws -> [String] {
        try await repository(server).0.list(query, policy).value.map(\.id.rawValue)
    }

    @Test func `a stale list that the server confirms page by page is fresh again`() async throws {
        let server = Server("a", "b", "c")
        let list = ["s-0-a", "s-1-b", "s-2-c"]
        #expect(try await ids(server, .cacheFirst) == list)
        #expect(server.said() == [200, 200, 200])
        for _ in 0..<2 {
            clock.advance(by: .seconds(301))
            let (stale, reader) = repository(server)
            guard case .stale = try await stale.list(.cacheFirst).origin else {
                Issue.record("not stale")
                return
            }
            await reader.drain(upTo: .seconds(5))
            #expect(server.said() == [304, 304, 304])
            let fresh = try await repository(server).0.list(.cacheFirst)
            #expect(fresh.origin == .cache(storedAt: clock.now) && fresh.value.map(\.id.rawValue) == list)
            #expect(server.said() == [])
        }
    }

    @Test(arguments: 0..<3)
    func `only the page that changed is sent, and the next condition names it`(place: Int) async throws {
        let server = Server("a", "b", "c")
        _ = try await ids(server)
        _ = server.said()
        server.change { $0.pages[place] = "x" }
        var list = ["s-0-a", "s-1-b", "s-2-c"]
        list[place] = "s-\(place)-x"
        #expect(try await ids(server) == list)
        #expect(server.said() == (0..<3).map { $0 == place ? 200 : 304 })
        #expect(try await ids(server) == list)
        #expect(server.said() == [304, 304, 304])
    }

    @Test func `a list that grew and one that shrank are read to their end`() async throws {
        let server = Server("a", "b")
        _ = try await ids(server)
        _ = server.said()
        server.change { $0.pages.append("c") }
        #expect(try await ids(server) == ["s-0-a", "s-1-b", "s-2-c"])
        #expect(server.said() == [304, 200, 200])
        server.change { $0.pages.removeLast(2) }
        #expect(try await ids(server) == ["s-0-a"])
        #expect(server.said() == [200])
        #expect(try await ids(server) == ["s-0-a"])
        #expect(server.said() == [304])
    }

    @Test func `each query has tags of its own, and a limit ends the walk`() async throws {
        let server = Server("a", "b", "c")
        let (two, search) = (EntityQuery<Specimen>(limit: 2), EntityQuery<Specimen>(search: "pet"))
        #expect(try await ids(server, .refresh, two) == ["s-0-a", "s-1-b"])
        #expect(server.said() == [200, 200])
        _ = try await ids(server, .refresh, search)
        #expect(server.said() == [200, 200, 200])
        #expect(try await ids(server, .refresh, two) == ["s-0-a", "s-1-b"])
        #expect(server.said() == [304, 304])
    }

    @Test func `a list with an own write has no tag, and one after a lost write still has`() async throws {
        let server = Server("a")
        _ = try await ids(server)
        await #expect(throws: DomainError.self) {
            try await repository(server).0.update(Specimen.ID("s-0-a"), to: .other, basedOn: 3)
        }
        _ = server.said()
        #expect(try await ids(server) == ["s-0-a"])
        #expect(server.said() == [304])
        _ = try await repository(server).0.create(.other)
        #expect(try await ids(server) == ["s-0-a"])
        #expect(server.said() == [200])
    }

    @Test func `a server without tags is asked without a condition, and any server by a read that must ask`()
        async throws
    {
        let server = Server("a")
        server.change { $0.hasTags = false }
        for _ in 0..<2 { _ = try await ids(server) }
        #expect(server.said() == [200, 200])
        server.change { $0.hasTags = true }
        for _ in 0..<2 { _ = try await ids(server, .mustAsk) }
        #expect(server.said() == [200, 200])
    }

    @Test func `an entity on two pages is shown once, and its list is read as a whole`() async throws {
        let server = Server("a", "b")
        server.client.onResponse(ListEntities<Specimen>.self) { call, options in
            #expect(options.headers["If-None-Match"] == nil)
            let page = CursorPage(
                items: [Stored<Specimen>.example("s-1")], nextCursor: call.cursor == nil ? "1" : nil)
            return APIResponse(head: ResponseHead(status: 200, headers: ["ETag": "\"1\""]), value: page)
        }
        for _ in 0..<2 { #expect(try await ids(server) == ["s-1"]) }
        #expect(server.client.calls.count == 4)
    }
}
