import Foundation
import StrataSQLite
import StrataService
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The command jobs` {
    private struct Errand: BackgroundJob {
        static let kind = "errand"
        var place: String
        var key: String?
    }

    private func run(_ arguments: [String], _ home: String) async throws -> ServerProgram.Outcome {
        await (try ServerProgram(["jobs"] + arguments, home: home)).outcome()
    }

    private func withErrands(_ body: (_ home: String, _ ids: [String]) async throws -> Void) async throws {
        try await withFreshHome { home in
            let path = home + "/.local/share/shiftlog/server.sqlite"
            #expect(await (try ServerProgram(["migrate"], home: home)).outcome().status == 0)
            let store = try await SQLiteStore.open(SQLiteLocation(path: path), exclusive: false)
            let ids = try await store.write { transaction in
                let now = Date(timeIntervalSince1970: 1_795_262_400)
                let first = try transaction.enqueue(Errand(place: "har\u{1B}bour", key: nil), at: now)
                let second = try transaction.enqueue(Errand(place: "pier", key: "k"), at: now)
                try transaction.execute(
                    "UPDATE service_job SET state = 'failed', failures = 10, attempt = 12, error = 'rough\nsea' WHERE id = \(first)"
                )
                return [first, second]
            }
            try await store.close()
            try await body(home, ids)
        }
    }

    @Test func `list and show print what is stored, as text and as JSON`() async throws {
        try await withErrands { home, ids in
            let list = try await run(["list"], home)
            #expect(list.status == 0, "\(list.errors)")
            let lines = list.output.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix("failed   errand  10/12  2026-11-21T12:00:00.000Z"))
            #expect(lines[0].hasSuffix("\(ids[0])  rough sea") && lines[1].hasPrefix("arrived  errand"))
            let failed = try await run(["list", "--state", "failed", "--json"], home)
            let jobs = try #require(
                try JSONSerialization.jsonObject(with: Data(failed.output.utf8)) as? [[String: Any]])
            #expect(jobs.count == 1 && jobs[0]["id"] as? String == ids[0] && jobs[0]["failures"] as? Int == 10)
            let show = try await run(["show", ids[0]], home)
            #expect(show.output.contains("kind      errand\n") && show.output.contains("harbour") == false)
            #expect(!show.output.contains("\u{1B}"))
            let json = try await run(["show", ids[0], "--json"], home)
            let job = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect((job["payload"] as? String)?.contains("bour") == true)
        }
    }

    @Test func `retry and discard change the queue`() async throws {
        try await withErrands { home, ids in
            #expect(try await run(["retry", ids[0]], home).status == 0)
            #expect(try await run(["list", "--state", "ready"], home).output.contains(ids[0]))
            #expect(try await run(["discard", ids[1]], home).status == 0)
            #expect(try await run(["retry", "--all"], home).output == "0 jobs begin again.\n")
            let gone = try await run(["show", ids[1]], home)
            #expect(gone.status == 66 && gone.errors.contains("There is no job"))
            #expect(try await run(["retry"], home).status == 64)
            #expect(try await run(["discard", ids[0], "--all"], home).status == 64)
            #expect(try await run(["list", "--state", "lost"], home).status == 64)
        }
    }
}
