import Foundation
import RunbooksService
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

/// What the routes answered, and what the table held, before runbooks were an entity.
@Suite struct `Recorded runbooks` {
    private static let ada = ["Authorization": "Bearer ada"]

    private func ifMatch(_ tag: String) -> [String: String] { Self.ada.merging(["If-Match": tag]) { $1 } }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "reads rows and tables of SQLite"))
    func `each request gets the recorded response and leaves the recorded rows`() async throws {
        try await withBackend(RunbooksService()) { backend in
            var wire = backend.transcript()
            let ada = Self.ada
            let full =
                ##"{"title":"Disk \"full\" 100% 🚒","body":"# Steps\r\n\t1. `df -h` \\ é\n","tags":["disk","db-1"]}"##
            try await wire.send("POST", "/v1/runbooks", ada, full)
            backend.clock.advance(by: .milliseconds(1500))
            try await wire.send("POST", "/v1/runbooks", ada, #"{"title":"Certificate","body":"Renew it."}"#)
            try await wire.send(
                "POST", "/v1/runbooks", ada.merging(["Idempotency-Key": "one"]) { $1 },
                #"{"title":"Été","body":"DISK","tags":[]}"#)
            try await wire.send(
                "POST", "/v1/runbooks", ada.merging(["Idempotency-Key": "one"]) { $1 },
                #"{"title":"Été","body":"DISK","tags":[]}"#)
            for query in [
                "", "?limit=2", "?limit=2&cursor=<cursor-1>", "?tag=disk", "?q=di%53k", "?q=ÉTÉ", "?tag=disk&q=x",
            ] {
                let escaped = query.replacingOccurrences(of: "É", with: "%C3%89")
                try await wire.send("GET", "/v1/runbooks\(escaped)", ada)
            }
            try await wire.send("GET", "/v1/runbooks/<id-1>", ada)
            try await wire.send("GET", "/v1/runbooks/<id-1>", ada.merging(["If-None-Match": "\"1\""]) { $1 })
            backend.clock.advance(by: .seconds(60))
            let update = #"{"title":"Disk full","body":"1. Look.","tags":["disk","night"]}"#
            try await wire.send("PUT", "/v1/runbooks/<id-1>", ada, update)
            try await wire.send("PUT", "/v1/runbooks/<id-1>", ifMatch("\"7\""), update)
            try await wire.send("PUT", "/v1/runbooks/<id-1>", ifMatch("\"1\""), update)
            try await wire.send("PUT", "/v1/runbooks/<id-1>", ifMatch("\"2\""), #"{"title":"Disk full","body":"2."}"#)
            try await wire.send("DELETE", "/v1/runbooks/<id-2>", ada)
            try await wire.send("DELETE", "/v1/runbooks/<id-2>", ifMatch("\"2\""))
            try await wire.send("DELETE", "/v1/runbooks/<id-2>", ifMatch("\"1\""))
            try await wire.send("GET", "/v1/runbooks/<id-2>", ada)
            try await wire.send("GET", "/v1/runbooks", ada)
            #expect(try Recording("Runbooks/responses.txt").difference(from: wire.text) == nil)

            var rows = wire
            try await rows.record(["runbooks"], of: backend.store)
            let rowsOnly = String(rows.text.dropFirst(wire.text.count))
            #expect(try Recording("Runbooks/rows.sql").difference(from: rowsOnly) == nil)
        }
    }

    @Test func `each refused request gets the recorded problem`() async throws {
        try await withBackend(RunbooksService()) { backend in
            var wire = backend.transcript()
            let ada = Self.ada
            for body in [
                #"{"title":"","body":"","tags":["A","b b"]}"#, #"{"title":"a\nb","body":"x","tags":["a","a"]}"#,
                #"{"title":"a"}"#, #"{"title":7,"body":"x"}"#, #"{"title":"a","body":"x","tags":"disk"}"#, "[]", "{",
            ] {
                try await wire.send("POST", "/v1/runbooks", ada, body)
                try await wire.send("PUT", "/v1/runbooks/nope", ifMatch("\"1\""), body)
            }
            for query in [
                "limit=0", "limit=201", "limit=x", "tag=%25", "tag=UPPER", "tag=", "tag=disk%20db", "q=", "q=a%00b",
                "sort=body", "later=1", "cursor=x", "cursor=WyJqb3VybmFsIiwiYSIsImIiXQ",
            ] {
                try await wire.send("GET", "/v1/runbooks?\(query)", ada)
            }
            try await wire.send("GET", "/v1/runbooks/nope", ada)
            try await wire.send("PUT", "/v1/runbooks/nope", ada, #"{"title":"a","body":"x"}"#)
            try await wire.send("DELETE", "/v1/runbooks/nope", ada)
            for caller in [[:], ["X-API-Key": "key of web1"]] {
                try await wire.send("GET", "/v1/runbooks", caller)
                try await wire.send("GET", "/v1/runbooks/nope", caller)
                try await wire.send("POST", "/v1/runbooks", caller, #"{"title":"a","body":"x"}"#)
                try await wire.send("PUT", "/v1/runbooks/nope", caller, #"{"title":"a","body":"x"}"#)
                try await wire.send("DELETE", "/v1/runbooks/nope", caller)
            }
            #expect(try Recording("Runbooks/problems.txt").difference(from: wire.text) == nil)
        }
    }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "reads rows and tables of SQLite"))
    func `recorded rows are read, found and changed`() async throws {
        try await withBackend(RunbooksService()) { backend in
            try await WireTranscript.restore(Recording("Runbooks/rows.sql").text(), in: backend.store)
            var wire = backend.transcript()
            try await wire.send("GET", "/v1/runbooks", Self.ada)
            try await wire.send("GET", "/v1/runbooks?q=%C3%89T%C3%89", Self.ada)
            try await wire.send("PUT", "/v1/runbooks/<id-1>", ifMatch("\"3\""), #"{"title":"Kept","body":"x"}"#)
            #expect(try Recording("Runbooks/restored.txt").difference(from: wire.text) == nil)
        }
    }
}
