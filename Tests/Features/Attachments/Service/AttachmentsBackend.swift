import AttachmentsAPI
import AttachmentsService
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JournalService
import Logging
import NIOCore
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// Where the contents of attachments are.
enum ContentPlace: CaseIterable, Sendable { case files, tables }

/// A backend with the journal, the shifts of crews and the files of both, on a database and a directory of its own.
struct AttachmentsBackend: Sendable {
    let client: any TestClientProtocol
    let service: AttachmentsService
    let store: any Store
    let clock: ManualWallClock
    let place: ContentPlace
    /// Where the files are.
    let directory: String

    /// How many contents are complete, and how many are being received.
    func contents() async throws -> [Int] {
        guard place == .tables else { return [files.count, staged.count] }
        return try await store.read { reader in
            let sizes = try reader.rows("SELECT size FROM blob").map { try $0.intIfAny("size") }
            return [sizes.count { $0 != nil }, sizes.count { $0 == nil }]
        }
    }

    /// Names of the files that are kept.
    var files: [String] { Self.files(in: directory) }
    /// Names of the files that are being received.
    var staged: [String] { Self.files(in: directory + "/incoming") }

    static func files(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0 != "incoming" }.sorted()
    }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, as user: String? = "ada", headers: HTTPFields = [:],
        body: Data? = nil
    ) async throws -> BackendReply {
        var headers = headers
        if let user { headers[.authorization] = "Bearer \(user)" }
        let response = try await client.execute(
            uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) })
        return BackendReply(
            status: response.status.code, headers: response.headers, body: Data(response.body.readableBytesView))
    }

    /// A new journal entry's id.
    func entry() async throws -> String { try await row("/v1/journal/entries", #"{"host":"web-1","text":"smoke"}"#) }

    /// A new row's id.
    func row(_ path: String, _ json: String) async throws -> String {
        let reply = try await send(
            .post, path, headers: [.contentType: "application/json"], body: Data(json.utf8))
        return try #require(
            try WireJSON.decode([String: JSONValue].self, from: reply.body)["id"]?.string,
            "\(String(decoding: reply.body, as: UTF8.self))")
    }

    /// Uploads a file as one form.
    func upload(
        _ content: Data, to entry: String, name: String = "smoke.log", type: String? = "text/plain",
        as user: String? = "ada", key: String? = nil, headers: HTTPFields = [:]
    ) async throws -> BackendReply {
        try await upload(
            content, at: "/v1/journal/entries/\(entry)/attachments", name: name, type: type, as: user, key: key,
            headers: headers)
    }

    func upload(
        _ content: Data, at path: String, name: String = "smoke.log", type: String? = "text/plain",
        as user: String? = "ada", key: String? = nil, headers: HTTPFields = [:]
    ) async throws -> BackendReply {
        let form = FormSample(name: name, type: type, content: content)
        var headers = headers
        headers[.contentType] = form.contentType
        if let key { headers[HTTPField.Name("Idempotency-Key")!] = key }
        return try await send(.post, path, as: user, headers: headers, body: form.body)
    }
}

/// A form with one file.
struct FormSample {
    let boundary = "----tide\(UInt64.random(in: 0 ... .max))"
    var field = "file"
    var name: String
    var type: String?
    var content: Data

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    var head: String {
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"\(name)\"\r\n"
            + (type.map { "Content-Type: \($0)\r\n" } ?? "") + "\r\n"
    }

    var body: Data { Data(head.utf8) + content + Data("\r\n--\(boundary)--\r\n".utf8) }
}

struct BackendReply: Sendable {
    var status: Int
    var headers: HTTPFields
    var body: Data

    var code: String? { try? WireJSON.decode(Problem.self, from: body).code }
    var fields: [String] { (try? WireJSON.decode(Problem.self, from: body).errors?.map(\.field)) ?? [] }
    func attachment() throws -> Attachment { try WireJSON.decode(Attachment.self, from: body) }
    subscript(name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

/// Starts a backend, runs `body` against it and takes everything away.
func withAttachmentsBackend(
    _ setup: TestingSetup = .router, in place: ContentPlace = .files, limit: Int = 1_000_000,
    limits: ServiceLimits = ServiceLimits(),
    clock: any Clock<Duration> = ContinuousClock(),
    _ body: @escaping @Sendable (AttachmentsBackend) async throws -> Void
) async throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let store = try await StoreEngine.chosen.open(directory.file("data.db"))
    let files = directory.file("files")
    let settings = AttachmentSettings(place: place, directory: files, attachmentBytes: limit)
    let attachments =
        AttachmentsService(blobs: settings.blobs(in: store), limit: settings.attachmentBytes, alsoOf: Shift.self)
    let wallClock = ManualWallClock(Date(timeIntervalSince1970: 1_790_000_000))
    let service = try ServiceApplication(
        features: [JournalService(), CrewsService(), ShiftsService(), attachments], store: store,
        authenticator: AnyName(),
        options: ServiceOptions(port: 0, limits: limits), wallClock: wallClock, clock: clock,
        logger: .silent)
    try await service.prepare()
    try await service.application().test(setup) { client in
        try await body(
            AttachmentsBackend(
                client: client, service: attachments, store: store, clock: wallClock, place: place, directory: files))
    }
    try await StoreEngine.close(store)
}

/// The settings of a service that are about attachments.
private struct AttachmentSettings {
    let place: ContentPlace
    let directory: String
    let attachmentBytes: Int

    func blobs(in store: any Store) -> any BlobStore {
        place == .files ? BlobDirectory(path: directory) : BlobTables(in: store)
    }
}

/// Every bearer token is the user of that name; every API key is the machine of that name.
private struct AnyName: Authenticator {
    func principal(bearer token: String) async throws -> Principal {
        .user(.init(id: token, username: token, isAdmin: false, sessionId: "s-\(token)"))
    }

    func principal(apiKey: String) async throws -> Principal { .host(tokenId: apiKey, name: apiKey) }
}
