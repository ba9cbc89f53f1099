import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct DoublesTests {
    @Test func `the mock answers by type and keeps its calls`() async throws {
        let client = MockAPIClient()
        client.on(ShowTide.self) { endpoint, _ in TidePayload(name: endpoint.name, metres: 1) }
        client.fail(RemoveTide.self, .notFound(nil))
        #expect(try await client.send(ShowTide(name: "north")).name == "north")
        let error = await #expect(throws: NetworkError.self) { try await client.send(RemoveTide()) }
        #expect(error?.request == "DELETE /v1/tides/bar")
        #expect(client.calls(to: ShowTide.self).map(\.name) == ["north"])
        #expect(client.calls.count == 2)
    }

    @Test func `each case of an enum has a response of its own`() async throws {
        let client = MockAPIClient()
        client.on(PierEndpoint.self, as: [String].self) { _, _ in ["north", "south"] }
        client.on(PierEndpoint.self, as: TidePayload.self) { endpoint, _ in
            guard case .tide(let pier) = endpoint else { throw NetworkError(.notFound(nil)) }
            return TidePayload(name: pier, metres: 1)
        }
        client.on(PierEndpoint.self) { _, _ in NoContent() }

        #expect(try await client.send(PierEndpoint.list, as: [String].self) == ["north", "south"])
        #expect(try await client.send(PierEndpoint.tide("north"), as: TidePayload.self).name == "north")
        _ = try await client.send(PierEndpoint.close("south"))
        #expect(client.calls(to: PierEndpoint.self) == [.list, .tide("north"), .close("south")])
    }

    @Test func `the client decodes each case of an enum as its call says`() async throws {
        let bench = try Bench(.json(#"["north"]"#), .json(tideJSON), .status(204))
        #expect(try await bench.client.send(PierEndpoint.list, as: [String].self) == ["north"])
        #expect(try await bench.client.send(PierEndpoint.tide("bar"), as: TidePayload.self) == tide)
        _ = try await bench.client.send(PierEndpoint.close("bar"))
        #expect(bench.transport.requests.map(\.url.path) == ["/piers", "/piers/bar", "/piers/bar"])
    }

    @Test func `the mock says which answer is missing`() async {
        let error = await #expect(throws: NetworkError.self) { try await MockAPIClient().send(AddTide()) }
        #expect(error?.description.contains("AddTide") == true)
    }

    @Test func `the mock streams the given chunks, or the value as JSON`() async throws {
        let client = MockAPIClient()
        client.on(ShowTide.self) { _, _ in tide }
        #expect(try await client.bytes(ShowTide(), upTo: 100) == WireJSON.encode(tide))
        client.onStream(ShowTide.self) { _, _ in (ResponseHead(status: 200), [Data("a".utf8), Data("b".utf8)]) }
        #expect(try await client.bytes(ShowTide(), upTo: 100) == Data("ab".utf8))
    }

    @Test func `the script says when it has ended`() async throws {
        let bench = try Bench(.json(tideJSON))
        _ = try await bench.client.send(ShowTide())
        #expect(await bench.failure(of: ShowTide()).description.contains("script"))
    }

    @Test func `the token store keeps, clears, fails as scripted and locks for one caller at a time`() async throws {
        let store = MemoryTokenStore()
        let tokens = SessionTokens(access: Secret("a"), refresh: Secret("r"), expiresAt: Date(timeIntervalSince1970: 0))
        try await store.write(tokens)
        #expect(try await store.read() == tokens)
        try await store.clear()
        #expect(try await store.read() == nil)
        #expect(store.writes == [tokens, nil])
        store.failure = TokenStoreError("disk full")
        await #expect(throws: TokenStoreError.self) { try await store.write(tokens) }
        let inside = Shared(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try? await store.withLock {
                        #expect(
                            inside.change {
                                $0 += 1
                                return $0
                            } == 1)
                        await Task.yield()
                        inside.change { $0 -= 1 }
                    }
                }
            }
        }
    }
}
