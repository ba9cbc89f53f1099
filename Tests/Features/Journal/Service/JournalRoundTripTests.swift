import FoundationEssentials
import JournalAPI
import JournalDomain
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@Suite struct `Journal, client to backend and back` {
    private let draft = JournalDraft(
        id: JournalEntry.ID("e-1"), host: "web1", severity: .warning, text: "disk \"/\" full % _ \\ 🚒\n\tsecond line",
        occurredAt: .newYear.addingTimeInterval(0.25), runbookId: "rb-1")

    @Test func `a created entry comes back as it was sent, wherever it is read`() async throws {
        let draft = draft
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let created = try await client.response(
                to: CreateJournalEntry(draft), options: CallOptions())
            #expect(created.head.status == 201)
            #expect(created.head.headers["ETag"] == "\"\(created.value.version)\"")
            let entry = created.value
            #expect(entry.id == draft.id)
            #expect(entry.content == draft.entry)
            #expect(entry.updatedAt == backend.clock.now)
            #expect(entry.version > 0)
            #expect(try await client.send(GetEntity<JournalEntry>(id: entry.id)) == created.value)
            #expect(try await client.send(ListJournalEntries()).items == [created.value])
        }
    }

    @Test func `a draft without id, severity and time gets them`() async throws {
        try await withBackend(JournalService()) { backend in
            let call = CreateJournalEntry(["host": .string("web1"), "text": .string("x")])
            let entry = try await backend.client().send(call)
            #expect(entry.severity == .info)
            #expect(entry.occurredAt == backend.clock.now)
            #expect(!entry.id.rawValue.isEmpty)
        }
    }

    @Test func `times from year 0 to 9999 survive`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            backend.clock.now = try Date("9999-12-31T00:00:00Z")
            for time in ["0000-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"] {
                let draft = JournalDraft(host: "web1", text: time, occurredAt: try Date(time))
                let created = try await client.send(CreateJournalEntry(draft))
                #expect(
                    try await client.send(GetEntity<JournalEntry>(id: created.id)).occurredAt == draft.entry.occurredAt)
            }
            let texts = try await client.send(ListJournalEntries()).items.map { String($0.text.prefix(4)) }
            #expect(texts == ["9999", "1969", "0000"])
        }
    }

    @Test func `a patch changes its fields and the version`() async throws {
        let draft = draft
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let created = try await client.send(CreateJournalEntry(draft))
            backend.clock.advance(by: .seconds(60))
            let edit = ["severity": Severity.critical.fieldValue, "text": .string("worse")] as [String: JSONValue]
            let patched = try await client.send(PatchJournalEntry(id: created.id, ifMatch: nil, edit))
            var expected = created
            expected.content.severity = .critical
            expected.content.text = "worse"
            expected.version = patched.version
            expected.updatedAt = backend.clock.now
            #expect(patched == expected)
            #expect(patched.version > created.version)
            #expect(try await client.send(GetEntity<JournalEntry>(id: created.id)) == patched)
        }
    }

    @Test func `If-Match is optional, and honoured when given`() async throws {
        let draft = draft
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let created = try await client.send(CreateJournalEntry(draft))
            let edit = ["text": .string("y")] as [String: JSONValue]
            let tag = created.entityTag
            let second = try await client.send(PatchJournalEntry(id: created.id, ifMatch: tag, edit))
            for stale in [tag, EntityTag(second.entityTag.opaque, isWeak: true), EntityTag("x")] {
                let error = await problem {
                    try await client.send(PatchJournalEntry(id: created.id, ifMatch: stale, edit))
                }
                #expect(error?.status == 412)
                #expect(error?.code == "version_mismatch")
                let refused = await problem {
                    try await client.send(DeleteEntity<JournalEntry>(id: created.id, ifMatch: stale))
                }
                #expect(refused?.status == 412)
            }
            _ = try await client.send(DeleteEntity<JournalEntry>(id: created.id, ifMatch: second.entityTag))
            #expect(await problem { try await client.send(GetEntity<JournalEntry>(id: created.id)) }?.status == 404)
        }
    }

    @Test func `the same id with the same content is the same entry, with other content a conflict`() async throws {
        let draft = draft
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateJournalEntry(draft))
            backend.clock.advance(by: .seconds(60))
            #expect(try await client.send(CreateJournalEntry(draft)) == first)
            var timeless = try CreateJournalEntry(draft)
            timeless.fields["occurred_at"] = nil
            #expect(try await client.send(timeless) == first)
            var other = draft
            other.entry.text = "another"
            let refused = await problem { try await client.send(CreateJournalEntry(other)) }
            #expect(refused?.status == 409)
            #expect(refused?.code == "id_taken")
            #expect(try await client.send(ListJournalEntries()).items == [first])
        }
    }

    @Test func `an entry that is not there is 404 for every call`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let id = JournalEntry.ID("nowhere")
            let edit = ["text": .string("y")] as [String: JSONValue]
            #expect(await problem { try await client.send(GetEntity<JournalEntry>(id: id)) }?.status == 404)
            #expect(
                await problem { try await client.send(PatchJournalEntry(id: id, ifMatch: nil, edit)) }?.status
                    == 404)
            #expect(
                await problem { try await client.send(DeleteEntity<JournalEntry>(id: id, ifMatch: nil)) }?.status == 404
            )
        }
    }

    @Test(arguments: [
        (JournalDraft(host: "", text: "x", occurredAt: .newYear), "host"),
        (JournalDraft(host: "a b", text: "x", occurredAt: .newYear), "host"),
        (JournalDraft(host: "web1", text: "", occurredAt: .newYear), "text"),
        (JournalDraft(host: "web1", text: "\u{0}", occurredAt: .newYear), "text"),
        (JournalDraft(host: "web1", text: String(repeating: "x", count: 16_385), occurredAt: .newYear), "text"),
        (JournalDraft(host: "web1", text: "x", occurredAt: .newYear, runbookId: "é"), "runbook_id"),
    ])
    func `a draft that breaks a rule is refused by field`(draft: JournalDraft, field: String) async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let refused = await problem { try await client.send(CreateJournalEntry(draft)) }
            #expect([400, 422].contains(refused?.status))
            if refused?.status == 422 { #expect(refused?.errors?.map(\.field) == [field]) }
            #expect(try await client.send(ListJournalEntries()).items.isEmpty)
        }
    }

    @Test func `a patch of nothing is refused`() async throws {
        let draft = draft
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let entry = try await client.send(CreateJournalEntry(draft))
            let nothing = [String: JSONValue]()
            let refused = await problem {
                try await client.send(PatchJournalEntry(id: entry.id, ifMatch: nil, nothing))
            }
            #expect(refused?.status == 422)
        }
    }

    @Test func `a machine appends and does nothing else`() async throws {
        let draft = draft
        try await withBackend(JournalService()) { backend in
            let machine = try backend.machine()
            let entry = try await machine.send(CreateJournalEntry(draft))
            let edit = ["text": .string("y")] as [String: JSONValue]
            #expect(await problem { try await machine.send(ListJournalEntries()) }?.status == 403)
            #expect(await problem { try await machine.send(GetEntity<JournalEntry>(id: entry.id)) }?.status == 403)
            #expect(
                await problem { try await machine.send(PatchJournalEntry(id: entry.id, ifMatch: nil, edit)) }?
                    .status == 403)
            #expect(
                await problem { try await machine.send(DeleteEntity<JournalEntry>(id: entry.id, ifMatch: nil)) }?.status
                    == 403)
            #expect(await problem { try await machine.send(PullChanges()) }?.status == 403)
        }
    }

    @Test func `a machine speaks for its own host and no other`() async throws {
        let draft = draft
        try await withBackend(JournalService()) { backend in
            let machine = try backend.machine("web1")
            var silent = try CreateJournalEntry(draft)
            silent.fields["host"] = nil
            silent.fields["id"] = nil
            #expect(try await machine.send(silent).host == "web1")
            var own = try CreateJournalEntry(draft)
            own.fields["id"] = nil
            #expect(try await machine.send(own).host == "web1")

            for host in ["web2", "WEB1", "web1.example", ""] {
                var other = own
                other.fields["host"] = .string(host)
                let refused = await problem { try await machine.send(other) }
                #expect(refused?.status == 403 && refused?.detail?.contains("'web1'") == true, "\(host)")
            }
            let unnamed = await problem {
                try await backend.machine("night shift").send(silent)
            }
            #expect(unnamed?.status == 403 && unnamed?.detail?.contains("'night shift'") == true)
            // A person names the host.
            let user = await problem { try await backend.client().send(silent) }
            #expect(user?.status == 422 && user?.errors?.map(\.field) == ["host"])
            #expect(try await backend.client().send(ListJournalEntries()).items.count == 2)
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
                    let draft = JournalDraft(host: "web1", text: "\(ahead)", occurredAt: time)
                    let refused = await problem { try await client.send(CreateJournalEntry(draft)) }
                    #expect(refused?.status == (isAccepted ? nil : 422), "\(ahead)")
                    if !isAccepted { #expect(refused?.errors?.map(\.field) == ["occurred_at"]) }
                }
            }
            let client = try backend.client()
            let entry = try #require(try await client.send(ListJournalEntries()).items.first)
            let late = ["occurred_at": (now.addingTimeInterval(2 * day)).fieldValue] as [String: JSONValue]
            let refused = await problem {
                try await client.send(PatchJournalEntry(id: entry.id, ifMatch: nil, late))
            }
            #expect(refused?.status == 422 && refused?.errors?.map(\.field) == ["occurred_at"])
        }
    }

    @Test func `a create whose answer was lost takes effect once`() async throws {
        var draft = draft
        draft.id = nil
        try await withBackend(JournalService()) { [draft] backend in
            let client = try backend.client { FaultyTransport($0, losingAnswers: 2) }
            let options = CallOptions(idempotencyKey: "create-1")
            let entry = try await client.send(CreateJournalEntry(draft), options: options)
            let plain = try backend.client()
            #expect(try await plain.send(ListJournalEntries()).items == [entry])
        }
    }
}
