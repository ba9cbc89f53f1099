import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataOffline
import StrataTesting
import Testing

@testable import SpecimensDomain
@testable import StrataTerminal

/// `browse` with keys, on a screen in memory.
@Suite struct `Browsing specimens` {
    private let repository = FakeEntityRepository(.example("s-1"))
    private let screen = MemoryScreen()

    /// Browses while `body` types and looks.
    private func browsing(
        _ specimens: Specimens, clock: any Clock<Duration> = ContinuousClock(), _ body: () async throws -> Void
    ) async throws {
        let console = Console(
            json: false, output: MemorySink(width: 100), errors: MemorySink(), clock: ManualWallClock(), times: .utc)
        let browsing = Task { @MainActor in
            try await Browser<FieldsView<Specimen>>(specimens, console, on: screen, clock: clock).run()
        }
        do { try await body() } catch {
            browsing.cancel()
            throw error
        }
        screen.type("q")
        try await browsing.value
        #expect(!screen.isActive, "the terminal is as it was")
    }

    @Test func `rows come, a search narrows them, and escape takes it back`() async throws {
        try await browsing(Specimens(repository)) {
            try await eventually(screen.shown.contains("1 pet name"))
            screen.type("/zzz")
            try await eventually(screen.shown.contains("No specimens are like this"))
            #expect(repository.current.queries.contains { $0.search == "zzz" })
            screen.type("\u{1B}")
            try await eventually(screen.shown.contains("1 pet name"))
        }
    }

    @Test func `an edit is saved, and a refused one stays in the form`() async throws {
        try await browsing(Specimens(repository)) {
            try await eventually(screen.shown.contains("1 pet name"))
            screen.type("e")
            try await eventually(screen.shown.contains("Edit s-1"))
            screen.type("\u{15}\u{13}")
            try await eventually(screen.shown.contains("must"))
            screen.type("renamed\u{13}")
            try await eventually(repository.current.items.first?.petName == "renamed")
            try await eventually(screen.shown.contains("> s-1"))
        }
    }

    @Test func `an entity is added when its form is whole, and its row is chosen`() async throws {
        let values = [
            "Rex", "", "found under a log", "", "4", "", "2.5", "", "f", "", "2026-01-02T03:04:05Z", "",
            "33333333-3333-4333-8333-333333333333", "", "https://example.org/rex", "", "p", "", "u-1", "", "rex-1", "",
        ]
        try await browsing(Specimens(repository)) {
            try await eventually(screen.shown.contains("1 pet name"))
            screen.type("a")
            try await eventually(screen.shown.contains("Add one specimen"))
            screen.type("Rex\u{13}")
            try await eventually(screen.shown.contains("must"))
            #expect(repository.current.items.count == 1, "the form is not whole")
            // The refusal went to the first field with an error; the form begins above it.
            screen.type(String(repeating: "\u{1B}[A", count: values.count))
            screen.type(values.map { "\u{15}\($0)" }.joined(separator: "\t") + "\u{13}")
            try await eventually(repository.current.items.count == 2)
            let added = try #require(repository.current.items.first { $0.petName == "Rex" })
            #expect(added.legCount == 4 && added.homeTerrain == .pond && !added.isVenomous && added.folkName == nil)
            try await eventually(screen.shown.contains("> \(added.id.rawValue)"))
        }
    }

    @Test func `a deletion happens after a yes`() async throws {
        try await browsing(Specimens(repository)) {
            try await eventually(screen.shown.contains("1 pet name"))
            screen.type("dn")
            screen.type("dy")
            try await eventually(repository.current.items.isEmpty)
        }
    }

    @Test func `a filter limits the list, and a text that is none is refused in its form`() async throws {
        try await browsing(Specimens(repository)) {
            try await eventually(screen.shown.contains("1 pet name"))
            screen.type("f")
            try await eventually(screen.shown.contains("Only specimens with"))
            screen.type("many\r")
            try await eventually(screen.shown.contains("Some filters cannot be read"))
            screen.type("\u{15}9\r")
            try await eventually(screen.shown.contains("No specimens are like this"))
            #expect(repository.current.queries.contains { $0.filters["leg_count"] == .integer(9) })
        }
    }

    @Test func `the terminal is as it was after an interruption, and when it is gone`() async throws {
        let console = Console(json: false, output: MemorySink(width: 100), errors: MemorySink())
        let specimens = Specimens(repository)
        let interrupted = Task { @MainActor in
            try await Browser<FieldsView<Specimen>>(specimens, console, on: screen).run()
        }
        try await eventually(screen.shown.contains("1 pet name"))
        interrupted.cancel()
        await #expect(throws: CommandFailure(.interrupted)) { try await interrupted.value }
        #expect(!screen.isActive)
        let other = MemoryScreen()
        let gone = Task { @MainActor in
            try await Browser<FieldsView<Specimen>>(specimens, console, on: other).run()
        }
        try await eventually(other.shown.contains("1 pet name"))
        other.send(.ended)
        await #expect(throws: CommandFailure(.interrupted)) { try await gone.value }
        #expect(!other.isActive)
    }

    @Test func `a stopped program leaves the screen, and draws it whole when it continues`() async throws {
        try await browsing(Specimens(repository)) {
            try await eventually(screen.shown.contains("1 pet name"))
            screen.send(.suspended)
            try await eventually(!screen.isActive)
            screen.send(.resumed)
            try await eventually(screen.isActive && screen.shown.contains("1 pet name"))
            screen.resize(to: ScreenSize(width: 60, height: 10))
            try await eventually(screen.shown.contains("\u{1B}[2J") && !screen.shown.contains("\u{1B}[11;"))
        }
    }

    @Test func `attachments and changes of the chosen row are beside the list`() async throws {
        // The newest one is at the top.
        let items = FakeEntityRepository(.example("s-1"), .example("s-2", .other))
        var upkeep = ListUpkeep()
        upkeep.details = { id throws(DomainError) in
            [EntityDetail("attachments", ["\(id).png"]), EntityDetail("changes", ["ada changed \(id)"])]
        }
        screen.resize(to: ScreenSize(width: 120, height: 80))
        try await browsing(Specimens(items, upkeep: upkeep)) {
            try await eventually(screen.shown.contains("s-2.png") && screen.shown.contains("ada changed s-2"))
            screen.type("j")
            try await eventually(screen.shown.contains("s-1.png") && screen.shown.contains("ada changed s-1"))
        }
    }

    @Test func `r reads again what belongs to the entity`() async throws {
        let files = Files()
        var upkeep = ListUpkeep()
        upkeep.details = { _ throws(DomainError) in [EntityDetail("files", files.names)] }
        // They come below all fields.
        screen.resize(to: ScreenSize(width: 120, height: 80))
        try await browsing(Specimens(repository, upkeep: upkeep)) {
            try await eventually(screen.shown.contains("first.png"))
            files.add("second.png")
            screen.type("r")
            try await eventually(screen.shown.contains("second.png"))
        }
    }

    @Test func `r asks the server at once, and says how that went`() async throws {
        let failure = Shared<DomainError?>(.unavailable("connection refused"))
        var upkeep = ListUpkeep()
        upkeep.refresh = { () async throws(DomainError) in if let failure = failure.value { throw failure } }
        // No timer fires.
        try await browsing(Specimens(repository, upkeep: upkeep), clock: ManualClock()) {
            try await eventually(screen.shown.contains("1 pet name"))
            screen.type("r")
            try await eventually(screen.shown.contains("Not current: connection refused"))
            failure.change { $0 = nil }
            screen.type("r")
            try await eventually(screen.shown.contains("Synchronised."))
        }
    }

    @Test func `the title says a second later that the first synchronisation has ended`() async throws {
        let (server, clock) = (FirstSync(), ManualClock())
        var upkeep = ListUpkeep()
        upkeep.status = { () throws(DomainError) in server.status }
        try await browsing(Specimens(repository, upkeep: upkeep), clock: clock) {
            try await eventually(screen.shown.contains("never synced"))
            server.end(at: Date(timeIntervalSince1970: 0))
            await clock.waitForSleeper(dueIn: .seconds(1))
            clock.advance(by: .seconds(1))
            try await eventually(screen.shown.contains("· synced "))
        }
    }

    @Test func `a conflict is shown, and the side that is kept goes to the inbox`() async throws {
        let inbox = OneConflict(of: "s-1")
        var upkeep = ListUpkeep()
        upkeep.conflicts = inbox
        try await browsing(Specimens(repository, upkeep: upkeep)) {
            try await eventually(screen.shown.contains("1 pet name"))
            screen.type("c")
            try await eventually(screen.shown.contains("mine") && screen.shown.contains("theirs"))
            screen.type("r")
            try await eventually(screen.shown.contains("What was written here is dropped."))
            screen.type("y")
            try await eventually(screen.shown.contains("The server's side is kept."))
            #expect(inbox.kept == .remote)
            screen.type("c")
            try await eventually(screen.shown.contains("This specimen has no conflict."))
        }
    }

    @Test func `a list that cannot be read says why`() async throws {
        repository.change { $0.failure = .unavailable("connection refused") }
        try await browsing(Specimens(repository)) {
            try await eventually(screen.shown.contains("connection refused"))
        }
    }
}

/// The files of an entity at a server.
private final class Files: Sendable {
    private let list = Mutex(["first.png"])

    var names: [String] { list.withLock { $0 } }
    func add(_ name: String) { list.withLock { $0.append(name) } }
}

/// The first synchronisation of a home, which ends when a test says so.
private final class FirstSync: Sendable {
    private let ended = Mutex<Date?>(nil)

    var status: SyncStatus {
        SyncStatus(pending: 0, rejected: 0, conflicts: 0, lastSyncedAt: ended.withLock { $0 })
    }
    func end(at time: Date) { ended.withLock { $0 = time } }
}

/// An inbox with one conflict, until a side of it is kept.
private final class OneConflict: ConflictInbox {
    private let state: Mutex<(open: SyncConflict?, kept: SyncConflict.Side?)>

    init(of id: String) {
        state = Mutex(
            (
                SyncConflict(
                    id: "c-1", collection: Specimen.collection, entityId: id, fields: ["pet_name"],
                    base: ["pet_name": "was"], local: ["pet_name": "mine"], remote: ["pet_name": "theirs"],
                    reason: "pet_name changed on both sides", createdAt: .noon), nil
            ))
    }

    var kept: SyncConflict.Side? { state.withLock(\.kept) }
    func conflicts() async throws(DomainError) -> [SyncConflict] { state.withLock { [$0.open].compactMap(\.self) } }
    func resolve(_ id: SyncConflict.ID, keeping side: SyncConflict.Side) async throws(DomainError) {
        state.withLock { $0 = (nil, side) }
    }
}

/// What a browser draws, and the keys it gets.
private final class MemoryScreen: FullScreen {
    private struct State {
        var size = ScreenSize(width: 100, height: 30)
        var isActive = false
        var drawings: [String] = []
    }

    private let state = Mutex(State())
    private let (stream, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)

    var size: ScreenSize { state.withLock(\.size) }
    var isActive: Bool { state.withLock(\.isActive) }
    /// Everything that was drawn since the last key.
    var shown: String { state.withLock { $0.drawings.joined() } }

    func type(_ text: String) { send(.input(Array(text.utf8))) }
    func resize(to size: ScreenSize) {
        state.withLock { $0.size = size }
        send(.resized)
    }
    func send(_ event: TerminalEvent) {
        state.withLock { $0.drawings = [] }
        continuation.yield(event)
    }

    func enter() throws(CommandFailure) { state.withLock { $0.isActive = true } }
    func leave() { state.withLock { $0.isActive = false } }
    func stop() { leave() }
    func draw(_ text: String) { state.withLock { state in if state.isActive { state.drawings.append(text) } } }
    func events() -> AsyncStream<TerminalEvent> { stream }
}
