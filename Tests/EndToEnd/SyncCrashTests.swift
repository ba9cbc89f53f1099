import Foundation
import Testing

/// The real backend, killed without warning while mutations are pushed to it, by a client that sends what it has no
/// answer to again. `STRATA_KILLS` sets how often.
@Suite(.serialized) struct SyncCrashTests {
    @Test func `a server killed between mutations loses no acknowledged one and applies none twice`() async throws {
        let workspace = try Workspace()
        var server = try await workspace.startServer()
        try await workspace.login(server: server)
        let token = try workspace.keptToken("access_token")
        let port = server.port
        var generator = SystemRandomNumberGenerator()
        var acknowledged: [String: Int] = [:]
        var next = 0

        for _ in 0..<CrashTests.kills {
            let killed = server.program
            let killer = Task {
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...250)))
                killed.signal(SIGKILL)
            }
            // Batches until the server is gone; the last one has no answer.
            var unanswered: [String] = []
            while unanswered.isEmpty {
                let ids = (0..<Int.random(in: 1...20, using: &generator)).map { "crash-\(next + $0)" }
                next += ids.count
                if let results = try? await push(ids, token, port), results.count == ids.count {
                    acknowledged.merge(results) { $1 }
                } else {
                    unanswered = ids
                }
            }
            try await killer.value
            _ = try await killed.outcome()
            server = try await workspace.startServer(port: port, createUser: false)
            // Once more from the one before, whose answer is known: it is repeated word for word.
            let again = try await push(unanswered + acknowledged.keys.sorted().suffix(20), token, port)
            for (id, version) in again {
                #expect(acknowledged[id] == nil || acknowledged[id] == version, "\(id) took effect twice")
                acknowledged[id] = version
            }
        }

        let versions = try await pulled(token, server)
        #expect(versions == acknowledged)
        #expect(Set(versions.values).count == versions.count)
        let digest = try object(try await server.get("/v1/sync/digest", token: token).body)
        let journal = (digest["collections"] as? [[String: Any]])?.first {
            $0["collection"] as? String == "journal_entries"
        }
        #expect(journal?["count"] as? Int == acknowledged.count)
        #expect(digest["up_to"] as? Int == acknowledged.count, "every effect took one version")
        server.program.signal(SIGKILL)
        _ = try await server.program.outcome()
    }

    /// The version of each mutation's effect.
    private func push(_ ids: [String], _ token: String, _ port: Int) async throws -> [String: Int] {
        let mutations: [[String: Any]] = ids.map { id in
            [
                "id": id, "client_seq": 1, "collection": "journal_entries", "entity_id": id, "operation": "create",
                "fields": ["host": "web1", "text": id, "severity": "info"], "at": "2026-11-21T09:00:00Z",
            ]
        }
        let body = try JSONSerialization.data(withJSONObject: ["client_id": "crash", "mutations": mutations])
        let headers = [
            "Host: 127.0.0.1", "Connection: close", "Authorization: Bearer \(token)", "Content-Type: application/json",
        ]
        let answer = try await RawHTTP.send(
            RawHTTP.request("POST", Array("/v1/sync/mutations".utf8), headers: headers, body: Array(body)), port: port)
        try require(answer.status == 200, "push: \(answer.status) \(answer.body)")
        let results = try object(answer.body)["results"] as? [[String: Any]] ?? []
        var versions: [String: Int] = [:]
        for result in results {
            guard let id = result["id"] as? String else { continue }
            versions[id] = result["version"] as? Int
        }
        return versions
    }

    private func pulled(_ token: String, _ server: Server) async throws -> [String: Int] {
        var versions: [String: Int] = [:]
        var path = "/v1/sync/changes?limit=100"
        while true {
            let page = try object(try await server.get(path, token: token).body)
            for change in page["changes"] as? [[String: Any]] ?? [] {
                guard let id = change["id"] as? String else { continue }
                versions[id] = change["version"] as? Int
            }
            guard page["has_more"] as? Bool == true, let cursor = page["cursor"] as? String else { return versions }
            path = "/v1/sync/changes?limit=100&cursor=\(cursor)"
        }
    }

    private func object(_ text: String) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw EndToEndError("no object: \(text)")
        }
        return object
    }
}
