import Foundation
import HTTPTypes
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

/// Parameters, bodies and cursors of the endpoints.
@Suite struct SyncRequestTests {
    @Test(arguments: [
        ("changes?limit=0", "limit"), ("changes?limit=1001", "limit"), ("changes?limit=x", "limit"),
        ("changes?limit=99999999999999999999", "limit"), ("changes?wait=-1", "wait"), ("changes?wait=31", "wait"),
        ("changes?wait=1.5", "wait"), ("changes?collections=", "collections"),
        ("changes?collections=a,,b", "collections"),
        ("changes?client_id=", "client_id"), ("changes?client_id=a%20b", "client_id"),
        ("changes?limit=1&limit=2", "limit"),
        ("snapshot?limit=0", "limit"), ("snapshot?limit=10001", "limit"), ("snapshot?bucket=256", "bucket"),
        ("snapshot?bucket=-1", "bucket"), ("snapshot?bucket=x", "bucket"), ("snapshot?collections=,", "collections"),
        ("digest?collections=a,", "collections"),
    ])
    func `a parameter out of range is 400 and named`(_ path: String, _ field: String) async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, "/v1/sync/\(path)")
            #expect(reply.status == 400)
            #expect(try reply.problem().errors?.map(\.field) == [field])
        }
    }

    @Test(arguments: [
        "", "x", "AAAA", "....", "%00", "%F0%9F%9A%92", "e30", String(repeating: "A", count: 800), "null", "0",
    ])
    func `a malformed cursor is 400`(_ text: String) async throws {
        try await withService { _, client in
            for path in ["changes?cursor=", "snapshot?page="] {
                let reply = try await client.send(.get, "/v1/sync/\(path)\(text)")
                #expect(reply.status == 400)
                #expect(try reply.problem().code?.isEmpty == false)
            }
        }
    }

    @Test func `a cursor of the revision before is expired, not garbage`() async throws {
        try await withService { _, client in
            let fields = "0190b6c5.12..r"
            // As the revision before wrote it: the checksum, then the fields with dots between.
            let text = ChecksummedText.encode([fields], as: "strata-sync-cursor-1")
            let reply = try await client.send(.get, "/v1/sync/changes?cursor=\(text)")
            #expect(reply.status == 410)
            #expect(try reply.problem().code == SyncCode.cursorExpired)
        }
    }

    @Test func `a cursor of another user or of other collections is 409`() async throws {
        try await withService { service, client in
            try await service.fill(["a"])
            let page = try await client.send(.get, "/v1/sync/changes?collections=notes").decoded(ChangesPage.self)
            for (path, user) in [
                ("changes?collections=notes&cursor=", "bert"), ("changes?cursor=", "anna"),
                ("changes?collections=notes,boats&cursor=", "anna"),
            ] {
                let reply = try await client.send(.get, "/v1/sync/\(path)\(page.cursor)", as: user)
                #expect(reply.status == 409)
                #expect(try reply.problem().code == SyncCode.scopeChanged)
            }
            let again = try await client.send(.get, "/v1/sync/changes?collections=notes,notes&cursor=\(page.cursor)")
            #expect(again.status == 200)
        }
    }

    @Test func `a collection this server does not have yet is no rows`() async throws {
        try await withService { service, client in
            try await service.fill(["a"])
            let page = try await client.send(.get, "/v1/sync/changes?collections=boats").decoded(ChangesPage.self)
            #expect(page.changes.isEmpty && !page.hasMore)
            let both = try await client.send(.get, "/v1/sync/digest?collections=boats,notes").decoded(SyncDigest.self)
            #expect(both.collections.map(\.collection) == ["notes"])
        }
    }

    @Test(arguments: [
        ("", 422), ("{", 400), ("[]", 422), ("{}", 422), (#"{"client_id":"c"}"#, 422),
        (#"{"client_id":"c","mutations":{}}"#, 422), (#"{"client_id":"c","mutations":[1]}"#, 422),
        (#"{"client_id":"c","mutations":[{"id":"m"}]}"#, 422), (#"{"client_id":1,"mutations":[]}"#, 422),
        (#"{"client_id":"","mutations":[]}"#, 422), (#"{"client_id":"a b","mutations":[]}"#, 422),
        (#"{"client_id":"c","mutations":[],"cursor":7}"#, 422),
        (#"{"client_id":"c","mutations":[],"cursor":"x"}"#, 400),
    ])
    func `a body that is no batch is refused with its reason, never a server error`(_ body: String, _ status: Int)
        async throws
    {
        try await withService { _, client in
            let reply = try await client.send(.post, "/v1/sync/mutations", json: body)
            #expect(reply.status == status, "\(body): \(reply.text)")
            #expect(try reply.problem().code?.isEmpty == false)
        }
    }

    @Test func `random bodies are never a server error`() async throws {
        try await withService { _, client in
            var random = SeededRandom(seed: 3)
            let whole = try WireJSON.encode(
                MutationBatch(
                    clientId: "c",
                    mutations: [
                        .create("m1", of: "a", text: "x"), .patch("m2", of: "a", base: 1, text: "y").grouped("g"),
                    ]))
            for _ in 0..<400 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    default:
                        bytes.insert(contentsOf: Array("[{\"0,:}]-".utf8).shuffled(using: &random).prefix(2), at: place)
                    }
                }
                let reply = try await client.send(.post, "/v1/sync/mutations", body: bytes)
                #expect(reply.status < 500, "\(String(decoding: bytes, as: UTF8.self)): \(reply.text)")
            }
        }
    }

    @Test func `sync needs a login, and host tokens have no access`() async throws {
        try await withService { _, client in
            for path in ["changes", "snapshot", "digest"] {
                let stranger = try await client.send(.get, "/v1/sync/\(path)", as: nil)
                #expect(stranger.status == 401)
                let machine = try await client.send(
                    .get, "/v1/sync/\(path)", as: nil, headers: [.xAPIKey: "machine-key"])
                #expect(machine.status == 403)
            }
        }
    }

    @Test func `an unchanged page is 304 until something is written, also by this device`() async throws {
        try await withService { service, client in
            try await service.fill(["a"])
            var device = SyncClientDouble(client)
            try await device.pullAll()
            let path = "/v1/sync/changes?client_id=c1&cursor=\(device.cursor ?? "")"
            let first = try await client.send(.get, path)
            #expect(first.headers[.cacheControl] == "private, no-cache")
            let tag = try #require(first.headers[.eTag])
            #expect(try await client.send(.get, path, headers: [.ifNoneMatch: tag]).status == 304)
            _ = try await device.push(.patch("m1", of: "b", base: 1, text: "nothing there"))
            let acked = try await client.send(.get, path, headers: [.ifNoneMatch: tag])
            #expect(acked.status == 200, "the refusal is acknowledged")
            #expect(try acked.decoded(ChangesPage.self).acked == 2)
        }
    }

    @Test func `a page has its last version and the acknowledged writes of the client`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            try await service.fill((0..<4).map { "n\($0)" })
            let first = try await client.send(.get, "/v1/sync/changes?limit=3&client_id=c1").decoded(ChangesPage.self)
            let before = try await service.lastPlace
            #expect((first.upTo, first.head, first.acked) == (before, before, 0))
            let result = try await device.push(.create("m1", of: "a", text: "one"))[0]
            let after = try await service.lastPlace
            let second = try await client.send(.get, "/v1/sync/changes?client_id=c1&cursor=\(first.cursor)")
                .decoded(ChangesPage.self)
            #expect((second.upTo, second.head, second.acked) == (before, after, 1), "not visible in this round")
            let third = try await client.send(.get, "/v1/sync/changes?client_id=c1&cursor=\(second.cursor)")
                .decoded(ChangesPage.self)
            #expect(third.upTo == after && third.changes.map(\.id) == ["a"])
            #expect(third.changes.map(\.version) == [result.version])
            let other = try await client.send(.get, "/v1/sync/changes?client_id=c2").decoded(ChangesPage.self)
            #expect(other.acked == 0)
            #expect(try await client.send(.get, "/v1/sync/changes").decoded(ChangesPage.self).acked == nil)
        }
    }
}
