import AttachmentsDomain
import AttachmentsService
import Foundation
import HTTPTypes
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// An entity of the owner's own has files by one line.
@Suite struct `The files of another entity than the journal` {
    /// A shift in a space where ada may write and bob may read.
    private func shift(_ backend: AttachmentsBackend) async throws -> (crew: String, shift: String) {
        let crew = try await backend.row("/v1/crews", #"{"people":"ada writes, bob reads"}"#)
        return (crew, try await backend.row("/v1/shifts", #"{"space_id":"\#(crew)","title":"Night"}"#))
    }

    private func attachment(_ reply: BackendReply) throws -> AttachmentsDomain.Attachment<Shift> {
        try WireJSON.decode(AttachmentsDomain.Attachment<Shift>.self, from: reply.body)
    }

    private func reclaim(_ backend: AttachmentsBackend) async throws {
        let feature: any FeatureService = backend.service
        try await feature.reclaim(backend.store)
    }

    @Test func `are added, listed and read at paths of their own`() async throws {
        try await withAttachmentsBackend { backend in
            let shift = try await shift(backend).shift
            let list = "/v1/shifts/\(shift)/attachments"
            let reply = try await backend.upload(Data("smoke".utf8), at: list, key: "k")
            #expect(reply.status == 201)
            #expect(String(decoding: reply.body, as: UTF8.self).contains(#""shift_id":"\#(shift)""#))
            let file = try attachment(reply)
            #expect(file.parentId.rawValue == shift && file.fileName.text == "smoke.log" && file.size == 5)
            #expect(try await backend.upload(Data("smoke".utf8), at: list, key: "k").body == reply.body)

            let page = try WireJSON.decode(
                CursorPage<AttachmentsDomain.Attachment<Shift>>.self, from: try await backend.send(.get, list).body)
            #expect(page.items == [file] && page.nextCursor == nil)
            #expect(try await backend.send(.get, "/v1/shift-attachments/\(file.id)").body == reply.body)
            let content = try await backend.send(
                .get, "/v1/shift-attachments/\(file.id)/content", headers: [.range: "bytes=1-2"])
            #expect(content.status == 206 && content.body == Data("mo".utf8))
            // They are no files of the journal.
            #expect(try await backend.send(.get, "/v1/attachments/\(file.id)").status == 404)
            #expect(try await backend.upload(Data("x".utf8), to: shift).status == 404)
        }
    }

    @Test func `are those of the space's members, and added by who may change the entity`() async throws {
        try await withAttachmentsBackend { backend in
            let list = "/v1/shifts/\(try await shift(backend).shift)/attachments"
            let file = try attachment(try await backend.upload(Data("smoke".utf8), at: list))
            let paths = [list, "/v1/shift-attachments/\(file.id)", "/v1/shift-attachments/\(file.id)/content"]
            for path in paths {
                #expect(try await backend.send(.get, path, as: "bob").status == 200, "\(path)")
                #expect(try await backend.send(.get, path, as: "carol").status == 404, "\(path)")
                #expect(try await backend.send(.get, path, as: nil).status == 401, "\(path)")
            }
            #expect(try await backend.upload(Data("x".utf8), at: list, as: "bob").status == 403)
            #expect(try await backend.upload(Data("x".utf8), at: list, as: "carol").status == 404)
            let key = HTTPField.Name("X-API-Key")!
            #expect(try await backend.upload(Data("x".utf8), at: list, as: nil, headers: [key: "web-1"]).status == 403)
            #expect(try await backend.contents() == [1, 0])
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `are sent in several requests, too`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(in: place) { backend in
            let list = "/v1/shifts/\(try await shift(backend).shift)/attachments"
            let begun = try await backend.send(
                .post, list,
                headers: [
                    HTTPField.Name("Upload-Complete")!: "?0", .contentType: "text/plain",
                    .contentDisposition: "inline; filename=\"smoke.log\"",
                ], body: Data("smo".utf8))
            #expect(begun.status == 201)
            let upload = try #require(begun["Location"])
            #expect(upload.hasPrefix("/v1/shift-attachment-uploads/"))
            let ended = try await backend.send(
                .patch, upload,
                headers: [
                    HTTPField.Name("Upload-Complete")!: "?1", HTTPField.Name("Upload-Offset")!: "3",
                    .contentType: "application/partial-upload",
                ], body: Data("ke".utf8))
            #expect(ended.status == 201)
            #expect(try attachment(ended).size == 5)
            #expect(try await backend.contents() == [1, 0])
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `go with their entity, also when it goes with its space, and give the room back`(
        _ place: ContentPlace
    ) async throws {
        try await withAttachmentsBackend(in: place) { backend in
            let (first, second) = (try await shift(backend), try await shift(backend))
            let third = try await backend.row("/v1/shifts", #"{"space_id":"\#(second.crew)","title":"Day"}"#)
            for shift in [first.shift, second.shift, third] {
                #expect(
                    try await backend.upload(Data("x".utf8), at: "/v1/shifts/\(shift)/attachments").status == 201)
            }
            _ = try await backend.upload(Data("x".utf8), to: try await backend.entry())
            try await reclaim(backend)
            #expect(try await backend.contents() == [4, 0])

            // By REST, the whole crew with its shift.
            let path = "/v1/crews/\(first.crew)"
            let tag = try #require(try await backend.send(.get, path)["ETag"])
            #expect(try await backend.send(.delete, path, headers: [.ifMatch: tag]).status == 204)
            try await reclaim(backend)
            #expect(try await backend.contents() == [3, 0])

            // By synchronisation, one shift.
            let mutation = Mutation(
                id: "m", clientSeq: 1, collection: "shifts", entityId: third, operation: .delete, baseVersion: nil,
                fields: [:], at: backend.clock.now)
            let pushed = try await backend.send(
                .post, "/v1/sync/mutations", headers: [.contentType: "application/json"],
                body: try WireJSON.encode(MutationBatch(clientId: "c", mutations: [mutation])))
            #expect(pushed.status == 200)
            try await reclaim(backend)
            #expect(try await backend.contents() == [2, 0])
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `are kept by the maintenance, as those of the journal are`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(in: place) { backend in
            let list = "/v1/shifts/\(try await shift(backend).shift)/attachments"
            _ = try await backend.upload(Data("x".utf8), at: list)
            _ = try await backend.upload(Data("x".utf8), to: try await backend.entry())
            let feature: any FeatureService = backend.service
            try await feature.maintain(backend.store, at: Date(timeIntervalSince1970: 4_000_000_000))
            #expect(try await backend.contents() == [2, 0])
        }
    }

    @Test func `stop a backend without the entity, which says what is missing`() async throws {
        let directory = try TemporaryDirectory()
        let store = try await StoreEngine.chosen.open(directory.file("data.db"))
        let files = AttachmentsService(directory: directory.file("files"), alsoOf: Shift.self)
        await #expect(throws: MigrationOrderError.missing("shifts-1", neededBy: "shift_attachments-1")) {
            try await withBackend([JournalService(), files], on: store) { _ in }
        }
        try await StoreEngine.close(store)
    }

    @Test func `are in the document of the API beside those of the journal`() async throws {
        try await withAttachmentsBackend { backend in
            let document = try WireJSON.decode(
                JSONValue.self, from: try await backend.send(.get, "/openapi.json", as: nil).body)
            func members(_ value: JSONValue?) -> [String: JSONValue] {
                if case .object(let members)? = value { members } else { [:] }
            }
            let schemas = members(members(members(document)["components"])["schemas"])
            #expect(members(members(schemas["ShiftAttachment"])["properties"]).keys.contains("shift_id"))
            #expect(members(members(schemas["Attachment"])["properties"]).keys.contains("entry_id"))
            let paths = members(members(document)["paths"])
            let upload = members(members(paths["/v1/shifts/{id}/attachments"])["post"])
            #expect(upload["operationId"] == .string("uploadShiftAttachment"))
            #expect(upload["summary"] == .string("Upload shift attachment"))
            #expect(paths.keys.contains("/v1/shift-attachment-uploads/{id}"))
            let journal = members(members(paths["/v1/journal/entries/{id}/attachments"])["post"])
            #expect(journal["operationId"] == .string("uploadAttachment"))
        }
    }
}
