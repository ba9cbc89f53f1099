import FoundationEssentials
import JournalDomain
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

/// What is particular to the journal at the server; what follows from the fields is tested by the contract.
@Suite struct `The journal at the server` {
    private let entry = JournalEntry(
        host: "web1", severity: .warning, text: "disk \"/\" full % _ \\ 🚒\n\tsecond line",
        occurredAt: .newYear.addingTimeInterval(0.25), runbookId: "rb-1")

    @Test func `the journal keeps the contract of an entity`() async throws {
        let failures = try await EntityContract<JournalEntry>(JournalService(), replaces: false).failures()
        #expect(failures == [])
    }

    @Test func `an entry without severity and time gets them, as text has null in their place`() async throws {
        try await withBackend(JournalService()) { backend in
            let call = CreateEntity<JournalEntry>(
                fields: ["host": .string("web1"), "text": .string("x"), "severity": .null, "occurred_at": .null])
            let entry = try await backend.client().send(call)
            #expect(entry.severity == .info && entry.occurredAt == backend.clock.now)
            #expect(!entry.id.rawValue.isEmpty)
        }
    }

    @Test func `times from year 0 to 9999 survive`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            backend.clock.now = try Date("9999-12-31T00:00:00Z")
            for time in ["0000-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"] {
                let entry = JournalEntry(host: "web1", text: time, occurredAt: try Date(time))
                let created = try await client.send(CreateEntity(entry))
                #expect(try await client.send(GetEntity<JournalEntry>(id: created.id)).occurredAt == entry.occurredAt)
            }
            let texts = try await client.send(ListEntities<JournalEntry>()).items.map { String($0.text.prefix(4)) }
            #expect(texts == ["9999", "1969", "0000"])
        }
    }

    @Test func `a time finer than a millisecond is the same in the response and afterwards`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let time = JSONValue.string("2026-01-01T10:00:00.0009Z")
            let call = CreateEntity<JournalEntry>(
                fields: ["host": .string("web1"), "text": .string("x"), "occurred_at": time])
            let created = try await client.send(call)
            #expect(try await client.send(GetEntity<JournalEntry>(id: created.id)) == created)
        }
    }

    @Test func `If-Match is optional, and honoured when given`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let client = try backend.client()
            let created = try await client.send(CreateEntity(entry))
            let edit = ["text": .string("y")] as [String: JSONValue]
            let tag = created.entityTag
            let first = try await client.send(PatchEntity<JournalEntry>(id: created.id, ifMatch: nil, edit))
            let others = ["x", "", "0", "0\(first.version)"].map { EntityTag($0) }
            for stale in [tag, EntityTag(first.entityTag.opaque, isWeak: true)] + others {
                let refused = [
                    await problem {
                        try await client.send(PatchEntity<JournalEntry>(id: created.id, ifMatch: stale, edit))
                    },
                    await problem {
                        try await client.send(DeleteEntity<JournalEntry>(id: created.id, ifMatch: stale))
                    },
                ]
                #expect(refused.map { $0?.code } == ["version_mismatch", "version_mismatch"])
            }
            _ = try await client.send(DeleteEntity<JournalEntry>(id: created.id, ifMatch: nil))
            #expect(await problem { try await client.send(GetEntity<JournalEntry>(id: created.id)) }?.status == 404)
        }
    }

    @Test func `the same id with the same content is the same entry, with other content a conflict`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let client = try backend.client()
            let call = CreateEntity(entry, id: JournalEntry.ID("e-1"))
            let first = try await client.send(call)
            #expect(first.id == JournalEntry.ID("e-1"))
            backend.clock.advance(by: .seconds(60))
            #expect(try await client.send(call) == first)
            var timeless = call
            timeless.draft.fields["occurred_at"] = nil
            #expect(try await client.send(timeless) == first)
            var other = call
            other.draft.fields["text"] = .string("another")
            let refused = await problem { try await client.send(other) }
            #expect(refused?.status == 409 && refused?.code == "id_taken")
            #expect(try await client.send(ListEntities<JournalEntry>()).items == [first])
        }
    }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "reads the plans of SQLite"))
    func `a page of one host reads an index in its order`() async throws {
        try await withBackend(JournalService()) { backend in
            let store: any Store = backend.store
            for filter in ["host = 'web1' AND", "severity = 'critical' AND", ""] {
                let statement = Statement(
                    stringLiteral: "EXPLAIN QUERY PLAN SELECT * FROM journal_entries WHERE \(filter) 1 = 1 "
                        + "ORDER BY occurred_at DESC, id DESC LIMIT 50")
                let plan = try await store.read { try $0.rows(statement).map { try $0.text("detail") } }
                #expect(plan.count == 1 && plan[0].contains("INDEX journal_entries_by_"), "\(filter): \(plan)")
            }
        }
    }

    @Test func `a machine appends and does nothing else`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let machine = try backend.machine()
            let created = try await machine.send(CreateEntity(entry))
            #expect(created.author == "web1")
            let edit = ["text": .string("y")] as [String: JSONValue]
            let refused = [
                await problem { try await machine.send(ListEntities<JournalEntry>()) },
                await problem { try await machine.send(GetEntity<JournalEntry>(id: created.id)) },
                await problem { try await machine.send(PatchEntity<JournalEntry>(id: created.id, ifMatch: nil, edit)) },
                await problem { try await machine.send(DeleteEntity<JournalEntry>(id: created.id, ifMatch: nil)) },
                await problem { try await machine.send(PullChanges()) },
            ]
            #expect(refused.map { $0?.status } == [403, 403, 403, 403, 403])
        }
    }

    @Test func `a machine speaks for its own host and no other`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let machine = try backend.machine("web1")
            var silent = CreateEntity(entry)
            silent.draft.fields["host"] = nil
            #expect(try await machine.send(silent).host == "web1")
            #expect(try await machine.send(CreateEntity(entry)).host == "web1")
            for host in ["web2", "WEB1", "web1.example", ""] {
                var other = silent
                other.draft.fields["host"] = .string(host)
                let refused = await problem { try await machine.send(other) }
                #expect(refused?.status == 403 && refused?.detail?.contains("'web1'") == true, "\(host)")
            }
            let unnamed = await problem { try await backend.machine("night shift").send(silent) }
            #expect(unnamed?.status == 403 && unnamed?.detail?.contains("'night shift'") == true)
            // A person names the host.
            let user = await problem { try await backend.client().send(silent) }
            #expect(user?.status == 422 && user?.errors?.map(\.field) == ["host"])
            #expect(try await backend.client().send(ListEntities<JournalEntry>()).items.count == 2)
        }
    }

    @Test func `an entry lies at most a day ahead, for people and machines, and the past is free`() async throws {
        try await withBackend(JournalService()) { backend in
            let now = backend.clock.now
            let day: TimeInterval = 24 * 3600
            for client in [try backend.client(), try backend.machine("web1")] {
                for (ahead, isAccepted) in [
                    (day, true), (day + 0.001, false), (-50 * 365 * day, true), (7000 * 365 * day, false),
                ] {
                    let time = now.addingTimeInterval(ahead)
                    let entry = JournalEntry(host: "web1", text: "\(ahead)", occurredAt: time)
                    let refused = await problem { try await client.send(CreateEntity(entry)) }
                    #expect(refused?.status == (isAccepted ? nil : 422), "\(ahead)")
                    if !isAccepted { #expect(refused?.errors?.map(\.field) == ["occurred_at"]) }
                }
            }
            let client = try backend.client()
            let entry = try #require(try await client.send(ListEntities<JournalEntry>()).items.first)
            let late = ["occurred_at": now.addingTimeInterval(2 * day).fieldValue] as [String: JSONValue]
            let refused = await problem {
                try await client.send(PatchEntity<JournalEntry>(id: entry.id, ifMatch: nil, late))
            }
            #expect(refused?.status == 422 && refused?.errors?.map(\.field) == ["occurred_at"])
            let severity = ["severity": Severity.critical.fieldValue] as [String: JSONValue]
            backend.clock.now = now.addingTimeInterval(-2 * day)
            _ = try await client.send(PatchEntity<JournalEntry>(id: entry.id, ifMatch: nil, severity))
        }
    }

    @Test func `an author that a client sends is ignored, and the first author stays`() async throws {
        let author: [String: JSONValue] = ["author": .string("mallory")]
        try await withBackend(JournalService()) { [entry] backend in
            var call = CreateEntity(entry)
            call.draft.fields.merge(author) { $1 }
            let created = try await backend.client(as: "ada").send(call)
            let edit = author.merging(["text": .string("y")]) { $1 }
            let bob = try backend.client(as: "bob")
            let edited = try await bob.send(PatchEntity<JournalEntry>(id: created.id, ifMatch: nil, edit))
            #expect(created.author == "ada" && edited.author == "ada" && edited.text == "y")
            let nothing = await problem {
                try await bob.send(PatchEntity<JournalEntry>(id: created.id, ifMatch: nil, author))
            }
            #expect(nothing?.status == 422)
        }
    }
}
