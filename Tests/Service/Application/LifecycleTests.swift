import Foundation
import GRDB
import HTTPTypes
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

@Suite struct LifecycleTests {
    @Test func `a service reports that it is live and ready`() async throws {
        try await withService { service, client in
            let live = try await client.send(.get, "/health/live", as: nil)
            let ready = try await client.send(.get, "/health/ready", as: nil)
            #expect(live.text == #"{"status":"live"}"# && ready.text == #"{"status":"ready"}"#)
        }
    }

    @Test func `without its database a service is live but not ready`() async throws {
        try await withService { service, client in
            try await service.close()
            #expect(try await client.send(.get, "/health/live", as: nil).status == 200)
            let ready = try await client.send(.get, "/health/ready", as: nil)
            #expect(ready.status == 503)
            #expect(try ready.problem().code == "not_ready")
            let call = try await client.send(.get, "/v1/notes")
            #expect(call.status == 503 && call.headers[.retryAfter] != nil)
        }
    }

    /// An operation on the files of a served database, and whether it alone makes writes fail.
    enum Harm: CaseIterable {
        case removed, replaced, logRemoved, overwritten

        func strike(_ path: String) throws {
            let files = FileManager.default
            switch self {
            case .removed: try files.removeItem(atPath: path)
            case .replaced:
                try files.copyItem(atPath: path, toPath: path + ".copy")
                try files.removeItem(atPath: path)
                try files.moveItem(atPath: path + ".copy", toPath: path)
            case .logRemoved: try files.removeItem(atPath: path + "-wal")
            case .overwritten: try overwriteMiddle(of: path)
            }
        }
    }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "harms a file"), arguments: Harm.allCases)
    func `a service whose database was harmed is not ready, acknowledges nothing, and logs it once`(
        harm: Harm
    ) async throws {
        try await withService { service, client in
            try await service.fill((0..<500).map { "n\($0)" }, text: String(repeating: "x", count: 2000))
            _ = try await DatabaseQueue(path: service.path).writeWithoutTransaction {
                try $0.checkpoint(.full).walFrameCount
            }
            #expect(try await client.send(.get, "/health/ready", as: nil).status == 200)
            try harm.strike(service.path)
            // Readiness is looked at once a second.
            service.wallClock.advance(by: .seconds(1))
            try await eventually("it is not ready") {
                if try await client.send(.get, "/health/ready", as: nil).status != 200 { return true }
                // As maintenance does.
                try await service.store.inspect()
                service.wallClock.advance(by: .seconds(1))
                return false
            }
            #expect(try await client.send(.get, "/health/ready", as: nil).problem().code == "not_ready")
            for index in 0..<3 {
                let write = try await client.send(.post, "/v1/notes", json: #"{"text":"late \#(index)","level":1}"#)
                #expect(write.status == 503 && write.headers[.retryAfter] != nil)
            }
            #expect(try await client.send(.get, "/health/live", as: nil).status == 200)
            let metrics = try await client.send(.get, "/metrics", as: nil)
            #expect(metrics.text.contains("\ntides_database_usable 0\n"))
            #expect(service.logLines.count { $0.hasPrefix("critical ") } == 1, "\(service.logLines)")
        }
    }

    @Test func `readiness writes at most once a second for any number of probes`() async throws {
        try await withService { service, client in
            let commits = { service.store.samples.first { $0.name == "database_commits_total" }?.value ?? 0 }
            for second in 1...3 {
                let before = commits()
                try await withThrowingTaskGroup { group in
                    for _ in 0..<20 {
                        group.addTask {
                            let reply = try await client.send(.get, "/health/ready", as: nil)
                            #expect(reply.status == 200)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(commits() == before + 1, "in second \(second)")
                service.wallClock.advance(by: .seconds(1))
            }
        }
    }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "on PostgreSQL a replica first becomes the maintainer"))
    func `resources of deleted rows are deleted at the start and every 15 seconds`() async throws {
        let clock = ManualClock()
        try await withLiveService(configure: { $0.clock = clock }) { service, _ in
            for call in 1...4 {
                await clock.waitForSleeper(dueIn: .seconds(15)...(.seconds(15)))
                #expect(service.feature.reclaims.value == call)
                clock.advance(by: .seconds(15))
            }
        }
    }

    @Test(arguments: Listening.allCases)
    func `a request in flight finishes while the service stops`(_ listening: Listening) async throws {
        try await withLiveService(listening) { service, live in
            let held = try await RawConnection(port: live.port)
            held.send("POST /v1/hold HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            try await service.feature.arrived.wait()
            let idle = try await RawConnection(port: live.port)
            idle.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await idle.read(until: "nobody")

            await live.beginShutdown()
            // The drain closes the idle connection; new connections are refused from then on.
            #expect(try await idle.readToEnd() == "")
            await #expect(throws: RawConnection.Refused.self) { try await RawConnection(port: live.port) }

            service.feature.release.open()
            let answer = try await held.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("held"), "\(answer)")
            try await live.wait()
        }
    }

    @Test(arguments: Listening.allCases)
    func `a long poll does not delay the drain`(_ listening: Listening) async throws {
        let clock = ManualClock()
        try await withLiveService(listening, configure: { $0.clock = clock }) { _, live in
            let first = try await RawConnection.exchange(
                "GET /v1/sync/changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer anna\r\nConnection: close\r\n\r\n",
                port: live.port)
            let body = try #require(first.components(separatedBy: "\r\n\r\n").last)
            let cursor = try WireJSON.decode(ChangesPage.self, from: Data(body.utf8)).cursor
            let waiting = try await RawConnection(port: live.port)
            waiting.send(
                "GET /v1/sync/changes?wait=30&cursor=\(cursor) HTTP/1.1\r\n"
                    + "Host: a\r\nAuthorization: Bearer anna\r\n\r\n"
            )
            await clock.waitForSleeper(dueIn: .seconds(2)...(.seconds(2)))
            await live.beginShutdown()
            #expect(try await waiting.readToEnd().hasPrefix("HTTP/1.1 200 "))
            try await live.wait()
        }
    }

    @Test(arguments: Listening.allCases)
    func `a request that does not finish is cancelled after the drain time`(_ listening: Listening) async throws {
        let clock = ManualClock()
        try await withLiveService(listening, configure: { $0.clock = clock }) { service, live in
            let held = try await RawConnection(port: live.port)
            held.send("POST /v1/hold HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            try await service.feature.arrived.wait()
            await live.beginShutdown()
            await clock.waitForSleeper(dueIn: service.limits.drainTime...service.limits.drainTime)
            clock.advance(by: service.limits.drainTime)
            try await live.wait()
            _ = try await held.readToEnd()
        }
    }

    @Test(arguments: Listening.allCases)
    func `readiness is 503 during the drain`(_ listening: Listening) async throws {
        try await withLiveService(listening) { service, live in
            let held = try await RawConnection(port: live.port)
            let probe = "GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n"
            held.send("POST /v1/hold HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n" + probe)
            try await service.feature.arrived.wait()
            await live.beginShutdown()
            let idle = try? await RawConnection(port: live.port)
            _ = try await idle?.readToEnd()
            service.feature.release.open()
            let answers = try await held.readToEnd()
            #expect(answers.hasPrefix("HTTP/1.1 200 "))
            #expect(!answers.contains(#"{"status":"ready"}"#))
            try await live.wait()
        }
    }

    @Test func `a busy port is an error with a sentence`() async throws {
        try await withLiveService { service, live in
            let second = try service.application(port: live.port)
            await #expect(throws: ServiceStartError.portBusy(host: "127.0.0.1", port: live.port)) {
                try await second.run()
            }
        }
    }

    @Test func `a listening address of another machine is an error with a sentence`() async throws {
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            let application = try ServiceApplication(
                features: [], store: service.store, authenticator: SampleAuthenticator(),
                options: ServiceOptions(host: "192.0.2.1", port: 0), logger: service.log.logger())
            await #expect {
                try await application.run()
            } throws: { error in
                guard case ServiceStartError.addressUnavailable = error else { return false }
                return "\(error)".contains("192.0.2.1")
            }
            try await service.close()
        }
    }

    @Test func `expired responses and tombstones are deleted at the start`() async throws {
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            try await service.application().prepare()
            try await service.store.write { transaction in
                try transaction.execute("UPDATE sync_meta SET seq = 1")
                try transaction.execute(
                    """
                    INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted, bucket)
                    VALUES ('notes', 'a', 1, 0, 1, 0)
                    """)
                try transaction.execute("INSERT INTO sync_mutation VALUES ('user:anna', 'm', 'h', '{}', 0)")
                try transaction.execute("INSERT INTO idempotent_answer VALUES ('k', 'h', 200, '[]', '', 0, NULL, NULL)")
            }
            let live = try await LiveService(service)
            try await eventually("nothing expired is left") {
                try await service.store.read { reader in
                    try reader.rows(
                        """
                        SELECT id FROM sync_mutation UNION ALL SELECT id FROM idempotent_answer
                        UNION ALL SELECT entity_id FROM sync_change
                        """
                    ).isEmpty
                }
            }
            await live.beginShutdown()
            try await live.wait()
            try await service.close()
        }
    }
}
