import ArgumentParser
import FoundationEssentials
import StrataCaching
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

@testable import SpecimensDomain

/// `list --follow`.
@Suite struct `A followed list of specimens on a console` {
    private let server = FakeEntityRepository(.example("s-1"))
    private let connectivity = ManualConnectivity()
    private let clock = ManualWallClock()
    private let errors = MemorySink()
    private let repository: CachedEntityRepository<Specimen>

    init() {
        let reader = CachedReader(
            cache: TwoTierCache(directory: nil, clock: clock), connectivity: connectivity, clock: clock)
        repository = CachedEntityRepository<Specimen>(remote: server, reader: reader, principal: "ada@test")
    }

    /// Follows the list while `body` runs.
    private func following(
        _ sink: MemorySink, json: Bool = false, status: ListUpkeep.ReadStatus? = nil, _ body: () async throws -> Void
    ) async throws {
        let console = Console(json: json, output: sink, errors: errors, clock: clock, times: .utc)
        var upkeep = ListUpkeep(connectivity: { [connectivity] in connectivity })
        upkeep.status = status
        let specimens = Specimens(repository, upkeep: upkeep)
        let following = Task {
            try await console.follow(
                specimens, EntityQuery(),
                try FieldsView<Specimen>.list(ListOptions.parse([]), empty: "There are none."))
        }
        do { try await body() } catch {
            following.cancel()
            throw error
        }
        following.cancel()
        await #expect(throws: CommandFailure(.interrupted)) { try await following.value }
    }

    @Test func `on a terminal the table changes in its place, and says what the network does`() async throws {
        let sink = MemorySink(width: 120)
        try await following(sink) {
            try await eventually(sink.text.contains("online"))
            let before = sink.text
            #expect(before.contains("ID") && before.contains("1 pet name"))
            connectivity.set(.offline)
            try await eventually(sink.text.contains("offline"))
            #expect(sink.text.dropFirst(before.count).hasPrefix("\u{1B}[3A\r\u{1B}[J"), "three lines are drawn anew")
            connectivity.set(.online)
            _ = try await repository.create(.other)
            try await eventually(sink.text.contains("2 pet name"))
        }
        #expect(errors.text.isEmpty)
    }

    @Test(arguments: [false, true])
    func `the end says how far the rows are behind the server, but not in JSON`(json: Bool) async throws {
        let sink = MemorySink()
        // A store reads nothing for a task that was cancelled.
        let status: ListUpkeep.ReadStatus = { () throws(DomainError) in
            guard !Task.isCancelled else { throw .cancelled }
            return SyncStatus(pending: 2, rejected: 0, conflicts: 0, lastSyncedAt: nil)
        }
        try await following(sink, json: json, status: status) { try await eventually(sink.text.contains("s-1")) }
        #expect(errors.text == (json ? "" : "2 unsent · never synced\n"))
    }

    @Test func `more rows than the terminal has lines are counted`() async throws {
        server.change { $0.items = (1...30).map { .example("s-\($0)") } }
        let sink = MemorySink(width: 120, height: 12)
        try await following(sink) {
            try await eventually(sink.text.contains("… 22 more"))
            let drawing = sink.text.split(separator: "\u{1B}[J").last ?? ""
            #expect(drawing.split(separator: "\n").count <= 12)
        }
    }

    @Test func `elsewhere each change is a table or a line of JSON`() async throws {
        let (text, json) = (MemorySink(), MemorySink())
        try await following(text) {
            try await eventually(text.text.contains("1 pet name"))
            #expect(!text.text.contains("\u{1B}"))
        }
        try await following(json, json: true) {
            try await eventually(json.lines.count == 1)
            _ = try await repository.create(.other)
            try await eventually(json.lines.count >= 2)
        }
        for line in json.lines { #expect(try JSONDecoder().decode([JSONValue].self, from: Data(line.utf8)).count >= 1) }
    }

    @Test func `a list that cannot be read ends with the error, and an outage is waited for`() async throws {
        server.change { $0.failure = .forbidden("not allowed") }
        let console = Console(json: false, output: MemorySink(width: 80), errors: errors, clock: clock)
        await #expect(throws: DomainError.forbidden("not allowed")) {
            try await console.follow(
                Specimens(repository), EntityQuery(), FieldsView<Specimen>.list(ListOptions.parse([]), empty: "none"))
        }
        server.change { $0.failure = .unavailable("connection refused") }
        let sink = MemorySink(width: 80)
        try await following(sink) { try await eventually(sink.text.contains("nothing stored: connection refused")) }
    }
}
