import AttachmentsAPI
import AttachmentsDomain
import AttachmentsService
import Foundation
import HTTPTypes
import HummingbirdTesting
import StrataDomain
import StrataSQLite
import StrataService
import Testing

/// Deleting gives the disk its room back.
@Suite struct `Files of deleted attachments` {
    private func reclaim(_ backend: AttachmentsBackend) async throws {
        let feature: any FeatureService = backend.service
        try await feature.reclaim(backend.store)
    }

    private func remembered(_ backend: AttachmentsBackend) async throws -> Int {
        try await backend.store.read { try $0.rows("SELECT blob_id FROM attachment_file").count }
    }

    @Test func `are removed, a thousand at once, when their entry was deleted by synchronisation`() async throws {
        try await withAttachmentsBackend { backend in
            let (entry, other) = (try await backend.entry(), try await backend.entry())
            _ = try await backend.upload(Data("y".utf8), to: other)
            for number in 0..<30 { _ = try await backend.upload(Data("x\(number)".utf8), to: entry) }
            // More than one look at the table finds.
            try await backend.store.write { transaction in
                for number in 0..<1000 {
                    let id = "00000000-0000-0000-0000-\(1_000_000_000_00 + number)0"
                    try transaction.execute("INSERT INTO attachment_file (blob_id) VALUES (\(id))")
                }
            }
            let batch = MutationBatch(
                clientId: "c",
                mutations: [
                    Mutation(
                        id: "m", clientSeq: 1, collection: "journal_entries", entityId: entry, operation: .delete,
                        baseVersion: nil, fields: [:], at: Date(timeIntervalSince1970: 0))
                ])
            let pushed = try await backend.send(
                .post, "/v1/sync/mutations", headers: [.contentType: "application/json"],
                body: try WireJSON.encode(batch))
            #expect(pushed.status == 200)
            #expect(backend.files.count == 31)
            try await reclaim(backend)
            #expect(backend.files.count == 1)
            #expect(try await remembered(backend) == 1)
        }
    }

    @Test func `are another file than that of an upload of the same content`() async throws {
        try await withAttachmentsBackend { backend in
            let (first, second) = (try await backend.entry(), try await backend.entry())
            let content = Data("the same".utf8)
            _ = try await backend.upload(content, to: first)
            let kept = try await backend.upload(content, to: second).attachment().id
            #expect(try await backend.send(.delete, "/v1/journal/entries/\(first)").status == 204)
            try await reclaim(backend)
            #expect(try await backend.send(.get, "/v1/attachments/\(kept)/content").body == content)
        }
    }

    @Test func `of an upload that is under way stay`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        let reply = try await backend.upload(Data("\(number)".utf8), to: entry)
                        #expect(reply.status == 201)
                    }
                    group.addTask { try await reclaim(backend) }
                }
                try await group.waitForAll()
            }
            #expect(backend.files.count == 20)
        }
    }

    @Test func `are forgotten after a crash between the file and its row`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            _ = try await backend.upload(Data("x".utf8), to: entry)
            #expect(try await backend.send(.delete, "/v1/journal/entries/\(entry)").status == 204)
            try FileManager.default.removeItem(atPath: backend.directory + "/" + (backend.files.first ?? ""))
            try await reclaim(backend)
            #expect(try await remembered(backend) == 0)
        }
    }

    @Test func `that cannot be removed keep no other file, and are tried again`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            for number in 0..<3 { _ = try await backend.upload(Data("x\(number)".utf8), to: entry) }
            #expect(try await backend.send(.delete, "/v1/journal/entries/\(entry)").status == 204)
            let stubborn = backend.directory + "/" + (backend.files.first ?? "")
            try FileManager.default.removeItem(atPath: stubborn)
            // A directory cannot be unlinked.
            try FileManager.default.createDirectory(atPath: stubborn, withIntermediateDirectories: false)
            await #expect(throws: BlobError.self) { try await reclaim(backend) }
            #expect(backend.files.count == 1)
            #expect(try await remembered(backend) == 1)
            try FileManager.default.removeItem(atPath: stubborn)
            try await reclaim(backend)
            #expect(try await remembered(backend) == 0)
        }
    }

    @Test func `are kept for a database from before, where they belong to an attachment`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let id = try await backend.upload(Data("x".utf8), to: entry).attachment().id
            // As it was before the step, which then runs again.
            let files = try #require(backend.service.migrations.first { $0.name == "attachments-2-files" })
            try await backend.store.write { transaction in
                try transaction.execute("DROP TABLE attachment_file")
                for statement in files.statements { try transaction.execute(Statement(stringLiteral: statement)) }
            }
            try await reclaim(backend)
            #expect(try await backend.send(.get, "/v1/attachments/\(id)/content").status == 200)
            #expect(try await backend.send(.delete, "/v1/journal/entries/\(entry)").status == 204)
            try await reclaim(backend)
            #expect(backend.files.isEmpty)
        }
    }
}
