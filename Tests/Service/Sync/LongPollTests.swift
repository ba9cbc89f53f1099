import Foundation
import HTTPTypes
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct LongPollTests {
    @Test func `a long poll returns at the next commit`() async throws {
        let clock = ManualClock()
        try await withService(configure: { $0.clock = clock }) { _, client in
            var device = SyncClientDouble(client)
            try await device.pullAll()
            let cursor = try #require(device.cursor)
            async let waiting = client.send(.get, "/v1/sync/changes?wait=30&cursor=\(cursor)")
            await clock.waitForSleeper(dueIn: .seconds(2)...(.seconds(2)))
            _ = try await client.send(.post, "/v1/notes", json: #"{"text":"wake up","level":1}"#)
            let page = try await waiting.decoded(ChangesPage.self)
            #expect(page.changes.count == 1)
        }
    }

    @Test func `a pull returns after the wait of its request`() async throws {
        let clock = ManualClock()
        try await withService(configure: { $0.clock = clock }) { _, client in
            var device = SyncClientDouble(client)
            try await device.pullAll()
            let cursor = try #require(device.cursor)
            async let waiting = client.send(.get, "/v1/sync/changes?wait=3&cursor=\(cursor)")
            await clock.waitForSleeper(dueIn: .seconds(2)...(.seconds(2)))
            clock.advance(by: .seconds(2))
            await clock.waitForSleeper(dueIn: .seconds(1)...(.seconds(1)))
            clock.advance(by: .seconds(1))
            let reply = try await waiting
            #expect(reply.status == 200)
            #expect(try reply.decoded(ChangesPage.self).changes.isEmpty)
        }
    }

    @Test func `a commit of another process is found within two seconds`() async throws {
        let clock = ManualClock()
        try await withService(configure: { $0.clock = clock }) { service, client in
            var device = SyncClientDouble(client)
            try await device.pullAll()
            let cursor = try #require(device.cursor)
            async let waiting = client.send(.get, "/v1/sync/changes?wait=30&cursor=\(cursor)")
            await clock.waitForSleeper(dueIn: .seconds(2)...(.seconds(2)))
            let collection = service.feature.collection
            // Straight into the database: no signal is raised.
            try await service.store.write { transaction in
                _ = try collection.insert("x", NoteDraft(text: "x", level: 1), at: Date(), in: transaction)
            }
            clock.advance(by: .seconds(2))
            #expect(try await waiting.decoded(ChangesPage.self).changes.map(\.id) == ["x"])
        }
    }

    @Test func `a long poll returns before the deadline of its caller`() async throws {
        let clock = ManualClock()
        try await withService(configure: { $0.clock = clock }) { _, client in
            var device = SyncClientDouble(client)
            try await device.pullAll()
            let cursor = try #require(device.cursor)
            async let waiting = client.send(
                .get, "/v1/sync/changes?wait=30&cursor=\(cursor)", headers: [.xDeadline: "1500"])
            await clock.waitForSleeper(dueIn: .seconds(1)...(.seconds(1)))
            clock.advance(by: .seconds(1))
            let reply = try await waiting
            #expect(reply.status == 200, "and not 504")
            #expect(try reply.decoded(ChangesPage.self).changes.isEmpty)
        }
    }

    @Test func `a commit without rows of the caller does not end its long poll`() async throws {
        let clock = ManualClock()
        try await withService(configure: { $0.clock = clock }) { service, client in
            let page = try await client.send(.get, "/v1/sync/changes?collections=boats").decoded(ChangesPage.self)
            async let waiting = client.send(
                .get, "/v1/sync/changes?wait=3&collections=boats&cursor=\(page.cursor)")
            await clock.waitForSleeper(dueIn: .seconds(2)...(.seconds(2)))
            _ = try await client.send(.post, "/v1/notes", json: #"{"text":"not for you","level":1}"#)
            await clock.waitForSleeper(dueIn: .seconds(2)...(.seconds(2)))
            clock.advance(by: .seconds(3))
            #expect(try await waiting.decoded(ChangesPage.self).changes.isEmpty)
        }
    }

    @Test func `every long poll returns when the service drains`() async throws {
        let clock = ManualClock()
        try await withLiveService(configure: { $0.clock = clock }) { _, live in
            let connection = try await RawConnection(port: live.port)
            let headers = "Host: 127.0.0.1:\(live.port)\r\nAuthorization: Bearer anna\r\n"
            connection.send("GET /v1/sync/changes HTTP/1.1\r\n\(headers)\r\n")
            let first = try await connection.read(until: "\"up_to\":0}")
            let cursor = first.split(separator: "\"cursor\":\"").last?.prefix { $0 != "\"" } ?? ""
            connection.send("GET /v1/sync/changes?wait=30&cursor=\(cursor) HTTP/1.1\r\n\(headers)\r\n")
            async let answer = connection.readToEnd()
            await clock.waitForSleeper(dueIn: .seconds(2)...(.seconds(2)))
            await live.beginShutdown()
            #expect(try await answer.contains("\"changes\":[]"))
        }
    }

    @Test func `a pull without a cursor does not wait`() async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, "/v1/sync/changes?wait=30")
            #expect(reply.status == 200)
        }
    }
}

@Suite struct CommitSignalTests {
    @Test func `a commit between looking and waiting is not missed`() async throws {
        let signal = CommitSignal()
        let seen = signal.generation
        signal.raise()
        try await signal.wait(after: seen)
        #expect(signal.generation == seen + 1)
    }

    @Test func `a cancelled wait ends without a commit`() async {
        let signal = CommitSignal()
        let waiting = Task { try await signal.wait(after: 0) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(signal.generation == 0)
    }

    @Test func `closing the signal ends every wait, also later ones`() async throws {
        let signal = CommitSignal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await signal.wait(after: 0) } }
            signal.close()
            try await group.waitForAll()
        }
        try await signal.wait(after: 0)
        #expect(signal.isClosed && signal.generation == 0)
    }

    /// A lost wake is a wait without an end.
    @Test(.timeLimit(.minutes(1)))
    func `each wait ends at a commit after its start, while others begin and are cancelled`() async throws {
        let signal = CommitSignal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2_000 {
                group.addTask {
                    let seen = signal.generation
                    async let waiting: Void = signal.wait(after: seen)
                    let cancelled = Task { try await signal.wait(after: signal.generation) }
                    signal.raise()
                    cancelled.cancel()
                    try await waiting
                    _ = await cancelled.result
                }
            }
            try await group.waitForAll()
        }
        #expect(signal.generation == 2_000)
    }
}
