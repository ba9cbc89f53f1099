import ArgumentParser
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataTerminal

struct HealthCommandTests {
    private let client = MockAPIClient()
    private let sync = FakeSync()
    private let store = MemoryTokenStore(.sample)

    private func tools(
        remote: Int? = 3, failing: DomainError? = nil, repaired: Int? = 0
    ) -> StatusTools {
        var verify: (@Sendable () async throws(DomainError) -> Int)?
        if let repaired { verify = { repaired } }
        return StatusTools(
            server: "http://server", profile: "default", username: "ada", tokens: store, client: client,
            cache: FakeCache(CacheStats(entries: 2, bytes: 512, limit: 1024, path: nil)), dataName: "journal"
        ) { [sync, verify] in
            var tools = LocalDataTools(
                path: "/home/journal.sqlite", sync: sync, countRemoteChanges: { remote },
                check: { if let failing { throw failing } })
            tools.verify = verify
            return tools
        }
    }

    private func answer(_ status: String = "ready") {
        client.on(Readiness.self) { _, _ in Readiness.Response(status: status) }
    }

    private func status(_ tools: StatusTools) async throws -> (lines: [String], notes: [String]) {
        let (console, output, errors) = Console.inMemory()
        try await StatusCommand.parse([]).run(tools, console)
        return (output.lines, errors.lines)
    }

    private func doctor(_ tools: StatusTools) async throws -> (lines: [String], status: ExitStatus) {
        let (console, output, _) = Console.inMemory()
        do {
            try await DoctorCommand.parse([]).run(tools, console)
            return (output.lines, .done)
        } catch let error as CommandFailure {
            return (output.lines, error.status)
        }
    }

    // MARK: - status

    @Test func `status shows server, account, tokens and unsent writes`() async throws {
        answer()
        sync.set(SyncStatus(pending: 1, rejected: 2, conflicts: 1, lastSyncedAt: nil))
        let shown = try await status(tools())
        #expect(
            shown.lines == [
                "server     http://server (ready)", "account    ada (profile default)", "tokens     memory",
                "journal    1 to send, 3 to fetch, 1 conflict, 2 rejected", "last sync  never",
            ])
        #expect(shown.notes.count == 2)
    }

    @Test func `status asks for no rows without a server`() async throws {
        client.fail(Readiness.self, .offline("no route"))
        let shown = try await status(tools())
        #expect(shown.lines.first == "server     http://server (unreachable)")
        #expect(shown.lines.contains { $0.contains("unknown to fetch") })
    }

    @Test func `status says that a draining server is not ready`() async throws {
        client.fail(Readiness.self, .server(503, nil))
        #expect(try await status(tools()).lines.first == "server     http://server (not ready)")
    }

    @Test func `what answers without our body is not the server`() async throws {
        answer("logged out")
        #expect(try await status(tools()).lines.first == "server     http://server (answered by something else)")
        for kind in [NetworkError.Kind.invalidResponse("expected JSON, got 'text/html'"), .notFound(nil)] {
            client.fail(Readiness.self, kind)
            let found = try await doctor(tools())
            #expect(found.status == .unavailable)
            #expect(found.lines[3].contains("login page of a network"), "\(found.lines)")
        }
    }

    @Test func `the server is asked for at most half of the time limit`() async throws {
        let limits = Mutex<[CallDeadline]>([])
        client.on(Readiness.self) { _, options in
            limits.withLock { $0.append(options.deadline) }
            return Readiness.Response(status: "ready")
        }
        for arguments in [[], ["--timeout", "1"], ["--timeout", "60"]] {
            try await StatusCommand.parse(arguments).run(tools(), Console.inMemory().console)
        }
        #expect(limits.withLock { $0 } == [.seconds(3), .milliseconds(500), .seconds(3)])
    }

    @Test func `a command whose time is up prints no half report`() async throws {
        answer()
        let (console, output, _) = Console.inMemory()
        let tools = tools()
        let work = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await StatusCommand.parse([]).run(tools, console)
        }
        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(output.text.isEmpty)
    }

    @Test func `status without a session names the next step`() async throws {
        answer()
        try await store.clear()
        sync.set(SyncStatus(pending: 1, rejected: 0, conflicts: 0, lastSyncedAt: nil))
        let shown = try await status(tools())
        #expect(shown.lines[1].hasPrefix("account    not logged in; run '"))
        #expect(shown.notes == ["Unsent writes are safe here; they are sent after a login."])
    }

    @Test func `status shows why the tokens cannot be read`() async throws {
        answer()
        store.failure = TokenStoreError("Others may read the file.")
        #expect(try await status(tools()).lines[2] == "tokens     memory: Others may read the file.")
    }

    // MARK: - doctor

    @Test func `doctor ends with 0 when nothing is wrong`() async throws {
        answer()
        let found = try await doctor(tools())
        #expect(found.status == .done)
        #expect(found.lines.count == 4 && found.lines.allSatisfy { $0.hasPrefix("ok ") }, "\(found.lines)")
        #expect(found.lines[1].hasSuffix("compared with the server"))
    }

    @Test func `doctor ends with 69 without a server, and still checks the local data`() async throws {
        client.fail(Readiness.self, .timeout)
        let found = try await doctor(tools(repaired: nil))
        #expect(found.status == .unavailable)
        #expect(found.lines[1].hasSuffix("not compared with the server"))
    }

    @Test func `damaged local data comes before other problems`() async throws {
        client.fail(Readiness.self, .timeout)
        #expect(try await doctor(tools(failing: .storage("The file is damaged."))).status == .cannotWrite)
        #expect(try await doctor(tools(failing: .forbidden("It belongs to 'bob'."))).status == .noPermission)
    }

    @Test func `doctor tells how many rows were repaired`() async throws {
        answer()
        #expect(try await doctor(tools(repaired: 7)).lines[1].hasSuffix("7 rows repaired from the server"))
        #expect(try await doctor(tools(repaired: 1)).lines[1].hasSuffix("1 row repaired from the server"))
    }

    @Test(arguments: [(0, "0 conflicts ("), (1, "1 conflict ("), (2, "2 conflicts (")])
    func `doctor counts conflicts in the singular and the plural`(conflicts: Int, text: String) async throws {
        answer()
        sync.set(SyncStatus(pending: 0, rejected: 0, conflicts: conflicts, lastSyncedAt: nil))
        #expect(try await doctor(tools()).lines[1].contains(text))
    }

    @Test func `doctor counts rows that this version cannot show, and says to update the program`() async throws {
        answer()
        var behind = SyncStatus(pending: 0, rejected: 0, conflicts: 0, lastSyncedAt: nil)
        behind.hidden = 2
        sync.set(behind)
        let found = try await doctor(tools())
        #expect(found.status == .unavailable)
        #expect(found.lines[1].hasPrefix("wrong journal: "))
        #expect(found.lines[1].contains(", 2 that this version cannot show (update \(ProgramName.current)), "))
    }
}

extension SessionTokens {
    fileprivate static let sample = SessionTokens(
        access: Secret("a"), refresh: Secret("r"), expiresAt: Date(timeIntervalSince1970: 2_000_000_000))
}
