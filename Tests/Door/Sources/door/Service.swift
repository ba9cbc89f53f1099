import Foundation
import NIOCore
import StrataDomain
import StrataService

/// Each signature below is a copy of the protocol's.

struct Empty: Error {}

/// A database without a table.
struct EmptyStore: CopyableStore, Store, StoreTransaction, StoreReader {
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result { try body(self) }

    @discardableResult func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result { try body(self) }

    func migrate(_ migrations: [StoreMigration]) async throws {}
    func inspect() async throws {}
    func followCommits(_ body: @escaping @Sendable () -> Void) async {}
    var isMaintainer: Bool { true }
    var samples: [MetricSample] { [] }

    func tables(in reader: any StoreReader) throws -> [StoreTable] { [] }
    func otherPrograms(in reader: any StoreReader) throws -> [String] { [] }
    var description: String { "nothing" }

    func forEachRow(of statement: Statement, _ body: (StoreRow) throws -> Bool) throws {}
    @discardableResult func execute(_ statement: Statement) throws -> Int { 0 }
    func announce() throws {}
}

struct Metres: StoreConvertible { var storeValue: StoreValue { .real(1) } }

struct EmptyBlobs: BlobStore, BlobWriter, BlobReader {
    var migrations: [StoreMigration] { [] }
    func prepare() async throws {}
    func writer(of id: String) async throws -> any BlobWriter { self }
    func open(_ id: String, size: Int, digest: Data) async throws -> any BlobReader { self }
    func remove(_ id: String) async throws {}
    func sweep(olderThan date: Date, referred: ReferredBlobs) async throws -> Int { 0 }

    func append(_ piece: ByteBuffer) async throws {}
    func keep(_ rest: ByteBuffer, size: Int, digest: Data) async throws {}
    func discard() async {}

    func read(at offset: Int, count: Int) async throws -> ByteBuffer { ByteBuffer() }
}

// MARK: - Collections

struct LogCollection: SyncedCollection {
    var name: String { "logs" }
    var schema: Int { 1 }
    var fields: Set<String>? { nil }
    var isPrivate: Bool { false }
    func rows(_ ids: [String], in store: any StoreReader) throws -> [String: [String: JSONValue]] { [:] }
    func snapshot(_ piece: SnapshotRange, in store: any StoreReader) throws -> SnapshotLines { SnapshotLines(of: name) }
    func apply(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int { throw SyncConflictError() }
}

struct LogTable: SyncedTable {
    var name: String { "logs" }
    var table: String { "log" }
    var columns: [SyncedColumn] { [] }
    func check(_ row: [String: JSONValue], by principal: Principal) throws {}
    func check(_ write: SyncedWrite, in store: any StoreTransaction) throws {}
    func initial(_ fields: [String: JSONValue], by principal: Principal, at time: Date) -> [String: JSONValue] {
        fields
    }
    func beforeDelete(
        _ old: [String: JSONValue], _ id: String, by principal: Principal, in store: any StoreTransaction
    ) throws {}
    var versions: RowVersions { .row }
    var selection: Statement { "SELECT 1" }
    func derived(from row: [String: JSONValue]) -> [String: StoreValue] { [:] }
    var ownership: Ownership { .everyone }
    var recordsAuthor: Bool { false }
}

struct LogList: AdministeredTable {
    var name: String { "logs" }
    func administered(
        after cursor: String?, for caller: Principal, in store: any StoreReader
    ) throws -> AdministeredRows { AdministeredRows(columns: ["id"], rows: [], nextCursor: nil) }
}

// MARK: - Features

struct LogService: FeatureService {
    var migrations: [StoreMigration] { [] }
    var syncedCollections: [any SyncedCollection] { [LogTable(), LogCollection()] }
    var administered: [any AdministeredTable] { [LogList()] }
    var contents: FeatureContents? { nil }
    func mount(on routes: inout APIRoutes) {}
    func prepare() async throws {}
    func maintain(_ store: any Store, at now: Date) async throws {}
    func reclaim(_ store: any Store) async throws {}
}

struct NobodyEnters: Authenticator {
    func principal(bearer token: String) async throws -> Principal { throw Empty() }
    func principal(apiKey: String) async throws -> Principal { throw Empty() }
    func expected(bearer token: String) async throws -> ExpectedPrincipal? { nil }
    func caller(of request: PageRequest) async throws -> PageCaller? { nil }
    func page(for refusal: PageRefusal) throws -> HTMLPage { .redirect(to: "/signin") }
}

struct Depth: JSONWritable {
    func write(to text: inout JSONText) throws { text.integer(1) }
}

struct Picture: ContentResponse {
    static var mediaType: String { "image/png" }
    var content: ResponseContent { ResponseContent(Data()) }
}

struct AddPicture: RoutedEndpoint, NoStore, BodyLimited, OAuthEndpoint {
    static var bodyLimit: Int { 1 << 20 }
    static var route: Route { .post("/pictures") }
    typealias Response = NoContent
}

struct Pictures: UploadHandler, ResumableUploadHandler {
    static var uploadName: String { "picture" }
    var blobs: any BlobStore { EmptyBlobs() }
    func received(_ blob: StoredBlob, fileName: String, mediaType: String?) throws -> Data { Data() }
    typealias Call = AddPicture
    typealias Received = Data
    var contentLimit: Int { 1 << 20 }
    var partName: String { "file" }
    func admit(_ call: AddPicture, _ scope: RequestScope, in store: any StoreReader) throws {}
    func receive(_ call: AddPicture, _ form: UploadForm, _ scope: RequestScope) async throws -> Data { Data() }
    func fingerprint(of received: Data) -> Data { received }
    func commit(
        _ call: AddPicture, _ received: Data, _ scope: RequestScope, in transaction: any StoreTransaction
    ) throws -> AddPicture.Response { NoContent() }
    func discard(_ received: Data) async {}
}

struct Errand: BackgroundJob {
    static var kind: String { "errand" }
    var key: String? { nil }
}

struct NoMail: Mailer {
    func send(_ message: MailMessage, id: String, at now: Date) async throws {}
}

struct NoSpaces: SpaceDirectory {
    var collection: String { "spaces" }
    func spaces(of caller: Principal, allowing action: RowAction, on collection: String) -> Statement {
        "SELECT 'none' AS id"
    }
}

struct NoReceivers: WebhookReceivers {
    func receiver(named name: String) async throws -> WebhookReceiver? { nil }
}
