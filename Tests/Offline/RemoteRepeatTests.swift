import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// What the simulated REST servers showed: repeated keys, lost references, and a clock that is set back.
@Suite struct RemoteRepeatTests {
    @Test func `a write that refers to a discarded row is refused and never sent`() async throws {
        let home = try RESTHome()
        let list = try await home.lists.create(ChoreList(text: "shop"))
        try await home.chores.create(Chore(text: "milk", list: RemoteID(list.rawValue)))
        try await home.lists.delete(list)
        await home.trySync()
        #expect(home.remote.pushes.isEmpty, "the server never knew the list")
        #expect(try await home.chores.unsent.map(\.state) == [.rejected])
    }

    @Test func `after the server's clock was set back everything is read again`() async throws {
        let home = try RESTHome(
            RemoteAbilities(
                deltas: .since(field: "updated_at", overlap: .seconds(10)), deletions: .feed, findsByID: true))
        home.remote.with { state in
            state.clock = Date(timeIntervalSince1970: 9_000)
            state.serverTime = Date(timeIntervalSince1970: 9_100)
        }
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.with { state in
            state.clock = Date(timeIntervalSince1970: 5_000)
            state.serverTime = Date(timeIntervalSince1970: 5_100)
        }
        home.remote.put("8", "new")
        try await home.sync()
        #expect(try await home.texts == ["new", "old"])
    }
}
