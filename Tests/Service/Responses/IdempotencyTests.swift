import Foundation
import HTTPTypes
import HummingbirdTesting
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite struct IdempotencyTests {
    private static let key = HTTPField.Name("Idempotency-Key")!
    private static let replayed = HTTPField.Name("Idempotency-Replayed")!
    private let draft = #"{"text":"once","level":3}"#

    private func count(_ service: TestService) async throws -> Int {
        try await service.store.count("note")
    }

    @Test(arguments: [TestingSetup.router, .live])
    func `the same request twice has one effect and one response`(_ setup: TestingSetup) async throws {
        try await withService(setup) { service, client in
            let first = try await client.send(.post, "/v1/notes", headers: [Self.key: "k1"], json: draft)
            let second = try await client.send(.post, "/v1/notes", headers: [Self.key: "k1"], json: draft)
            #expect(first.status == 201 && second.status == 201)
            #expect(second.body == first.body)
            #expect(
                second.headers[.eTag] == first.headers[.eTag]
                    && second.headers[.contentType] == first.headers[.contentType])
            #expect(first.headers[Self.replayed] == nil)
            #expect(second.headers[Self.replayed] == "true")
            #expect(try await count(service) == 1)
        }
    }

    @Test func `a call without content is repeated, too`() async throws {
        try await withService { service, client in
            let note = try await client.send(.post, "/v1/notes", json: draft).decoded(NotePayload.self)
            for expected in [nil, "true"] {
                let reply = try await client.send(.delete, "/v1/notes/\(note.id)", headers: [Self.key: "d"])
                #expect(reply.status == 204)
                #expect(reply.headers[Self.replayed] == expected)
            }
        }
    }

    @Test func `another payload under the same key is refused`() async throws {
        try await withService { service, client in
            _ = try await client.send(.post, "/v1/notes", headers: [Self.key: "k1"], json: draft)
            let other = try await client.send(
                .post, "/v1/notes", headers: [Self.key: "k1"], json: #"{"text":"twice","level":3}"#)
            #expect(other.status == 422)
            #expect(try other.problem().code == "idempotency_key_reused")
            let query = try await client.send(.post, "/v1/notes?x=1", headers: [Self.key: "k1"], json: draft)
            #expect(query.status == 422)
            #expect(try await count(service) == 1)
        }
    }

    @Test func `a flaw that is found before the transaction takes no precedence over the key`() async throws {
        try await withService { _, client in
            let flawed = #"{"text":"twice","level":-1}"#
            let refused = try await client.send(.post, "/v1/notes", headers: [Self.key: "k1"], json: flawed)
            #expect(try refused.problem().code == "validation_failed")
            _ = try await client.send(.post, "/v1/notes", headers: [Self.key: "k1"], json: draft)
            let reused = try await client.send(.post, "/v1/notes", headers: [Self.key: "k1"], json: flawed)
            #expect(try reused.problem().code == "idempotency_key_reused")
        }
    }

    @Test func `keys of two users, or of two paths, are independent`() async throws {
        try await withService { service, client in
            let anna = try await client.send(.post, "/v1/notes", headers: [Self.key: "k"], json: draft)
            let bert = try await client.send(
                .post, "/v1/notes", as: "bert", headers: [Self.key: "k"], json: #"{"text":"other","level":1}"#)
            #expect(anna.status == 201 && bert.status == 201 && bert.headers[Self.replayed] == nil)
            let id = try anna.decoded(NotePayload.self).id
            #expect(try await client.send(.delete, "/v1/notes/\(id)", headers: [Self.key: "k"]).status == 204)
        }
    }

    @Test func `a call that was refused can be corrected under the same key`() async throws {
        try await withService { service, client in
            let wrong = try await client.send(
                .post, "/v1/notes", headers: [Self.key: "k"], json: #"{"text":"too high","level":100}"#)
            #expect(wrong.status == 409)
            #expect(try await client.send(.post, "/v1/notes", headers: [Self.key: "k"], json: draft).status == 201)
            #expect(try await count(service) == 1)
        }
    }

    @Test func `after a day the key is free again`() async throws {
        try await withService { service, client in
            _ = try await client.send(.post, "/v1/notes", headers: [Self.key: "k"], json: draft)
            service.wallClock.advance(by: .seconds(24 * 3600 - 1))
            let replay = try await client.send(.post, "/v1/notes", headers: [Self.key: "k"], json: draft)
            #expect(replay.headers[Self.replayed] == "true")
            service.wallClock.advance(by: .seconds(1))
            let later = try await client.send(
                .post, "/v1/notes", headers: [Self.key: "k"], json: #"{"text":"a day later","level":1}"#)
            #expect(later.status == 201 && later.headers[Self.replayed] == nil)
        }
    }

    @Test func `large responses of a caller are bounded in bytes, and none of their writes runs twice`() async throws {
        try await withService(configure: { $0.limits.maxIdempotentBytes = 40_000 }) { service, client in
            @Sendable func send(_ number: Int, as name: String = "anna") async throws -> Reply {
                let text = "\(name) \(number) \(String(repeating: "x", count: 10_000)) \(name) \(number)"
                return try await client.send(
                    .post, "/v1/notes", as: name, headers: [Self.key: "k\(number)"],
                    json: #"{"text":"\#(text)","level":1}"#)
            }
            var bodies: [Data] = []
            for number in 0..<20 { bodies.append(try await send(number).body) }
            _ = try await send(0, as: "bert")
            let kept = try await service.store.read { reader in
                try reader.rows("SELECT body FROM idempotent_answer").map { try $0.text("body").utf8.count }
            }
            #expect(kept.count == 21 && kept.reduce(0, +) <= 50_300)
            for number in 0..<20 {
                let again = try await send(number)
                if number >= 17 {
                    #expect(again.status == 201 && again.body == bodies[number])
                } else {
                    #expect(again.status == 409)
                    #expect(try again.problem().code == "idempotent_response_dropped")
                }
            }
            #expect(try await send(0, as: "bert").headers[Self.replayed] == "true")
            #expect(try await count(service) == 21)
        }
    }

    @Test func `small responses are kept beside dropped large ones`() async throws {
        try await withService(configure: { $0.limits.maxIdempotentBytes = 1 }) { _, client in
            _ = try await client.send(.post, "/v1/notes", headers: [Self.key: "small"], json: draft)
            let large = #"{"text":"\#(String(repeating: "x", count: 3000))","level":1}"#
            for replayed in [nil, "true"] {
                let reply = try await client.send(.post, "/v1/notes", headers: [Self.key: "large"], json: large)
                #expect(reply.status == 201 && reply.headers[Self.replayed] == replayed)
            }
            let small = try await client.send(.post, "/v1/notes", headers: [Self.key: "small"], json: draft)
            #expect(small.headers[Self.replayed] == "true")
        }
    }

    @Test func `new keys have a rate, above which a write has no effect and stored responses are repeated`()
        async throws
    {
        let limit: @Sendable (inout TestService) -> Void = { service in
            service.limits.rates.keys = RateLimit(burst: 3, perSecond: 0.001)
        }
        try await withService(configure: limit) { service, client in
            @Sendable func send(_ number: Int, as name: String = "anna") async throws -> Reply {
                try await client.send(
                    .post, "/v1/notes", as: name, headers: [Self.key: "k\(number)"],
                    json: #"{"text":"\#(name) \#(number)","level":1}"#)
            }
            for number in 0..<3 { #expect(try await send(number).status == 201) }
            let refused = try await send(3)
            #expect(refused.status == 429 && refused.headers[.retryAfter] == "1000")
            #expect(try refused.problem().code == "rate_limited")
            #expect(try await send(0).headers[Self.replayed] == "true")
            #expect(try await client.send(.post, "/v1/notes", json: draft).status == 201)
            #expect(try await send(0, as: "bert").status == 201)
            #expect(try await count(service) == 5)
        }
    }

    @Test func `a record of a clock that was set back is repeated for one more day`() async throws {
        try await withService { service, client in
            _ = try await client.send(.post, "/v1/notes", headers: [Self.key: "k"], json: draft)
            service.wallClock.advance(by: .seconds(-100 * 86_400))
            let now = service.wallClock.now
            try await service.store.write { try IdempotencyLog.prune(at: now, in: $0) }
            service.wallClock.advance(by: .seconds(24 * 3600 - 1))
            let replay = try await client.send(.post, "/v1/notes", headers: [Self.key: "k"], json: draft)
            #expect(replay.headers[Self.replayed] == "true")
            service.wallClock.advance(by: .seconds(1))
            try await service.store.write { [now = service.wallClock.now] in try IdempotencyLog.prune(at: now, in: $0) }
            try await expectRows(0, in: "idempotent_answer", of: service.store)
        }
    }

    @Test(arguments: ["a", "!~", String(repeating: "k", count: 255)])
    func `any visible ASCII is a key`(_ key: String) async throws {
        try await withService { _, client in
            let reply = try await client.send(.post, "/v1/notes", headers: [Self.key: key], json: draft)
            #expect(reply.status == 201)
        }
    }

    @Test func `a hundred at once under one key have one effect`() async throws {
        try await withService { service, client in
            let draft = draft
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await client.send(.post, "/v1/notes", headers: [Self.key: "same"], json: draft)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let done = replies.filter { $0.status == 201 }
            #expect(Set(done.map(\.body)).count == 1)
            #expect(done.filter { $0.headers[Self.replayed] == nil }.count == 1)
            for reply in replies where reply.status != 201 {
                #expect(reply.status == 409 && reply.headers[.retryAfter] == "1")
                #expect(try reply.problem().code == "idempotency_in_flight")
            }
            #expect(try await count(service) == 1)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `requests at two replicas under one key have one effect`(_ engine: StoreEngine) async throws {
        try await withTemporaryDirectory { directory in
            let stores = [
                try await engine.open("\(directory)/notes.db", isShared: true),
                try await engine.open("\(directory)/notes.db", isShared: true),
            ]
            let draft = draft
            let replies = try await withReplica(stores[0]) { first in
                try await withReplica(stores[1]) { second in
                    try await withThrowingTaskGroup(of: Reply.self) { group in
                        for number in 0..<40 {
                            let replica = number.isMultiple(of: 2) ? first : second
                            group.addTask {
                                try await replica.send(.post, "/v1/notes", headers: [Self.key: "same"], json: draft)
                            }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                }
            }
            let done = replies.filter { $0.status == 201 }
            #expect(Set(done.map(\.body)).count == 1)
            #expect(done.filter { $0.headers[Self.replayed] == nil }.count == 1)
            #expect(replies.allSatisfy { $0.status == 201 || $0.status == 409 })
            try await expectRows(1, in: "note", of: stores[0])
            for store in stores { try await StoreEngine.close(store) }
        }
    }

    private func withReplica(
        _ store: any Store, _ body: @escaping @Sendable (Client) async throws -> [Reply]
    ) async throws -> [Reply] {
        let service = try ServiceApplication(
            features: [NotesFeature()], store: store, authenticator: SampleAuthenticator(), logger: .silent)
        try await service.prepare()
        return try await service.application().test(.router) { try await body(Client(client: $0)) }
    }

    @Test func `a stored response survives a restart`() async throws {
        try await withTemporaryDirectory { directory in
            var bodies: [Data] = []
            for _ in 0..<2 {
                let service = try await TestService(directory: directory)
                let application = try service.application()
                try await application.prepare()
                let reply = try await application.application().test(.router) { client in
                    try await Client(client: client).send(
                        .post, "/v1/notes", headers: [Self.key: "k"], json: draft)
                }
                #expect(reply.status == 201)
                bodies.append(reply.body)
                try await service.close()
            }
            #expect(bodies[0] == bodies[1])
        }
    }
}
