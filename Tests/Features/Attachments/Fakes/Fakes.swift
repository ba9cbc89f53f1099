import AttachmentsDomain
import Foundation
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataTesting

/// Attachments in memory, with a server that can fail.
final class AttachmentShelf: AttachmentRepository {
    struct State {
        var entries: Set<JournalEntry.ID> = [JournalEntry.ID("e1")]
        var contents: [Attachment.ID: Data] = [:]
        var attachments: [Attachment] = []
        /// What every call answers instead.
        var failure: DomainError?
        var added: [LocalFile] = []
        var resumedFrom: Int64 = 0
        /// The limit of every list.
        var limits: [Int?] = []
    }

    private let state = Mutex(State())

    init(_ attachments: [(Attachment, Data)] = []) {
        change { state in
            for (attachment, content) in attachments {
                state.attachments.append(attachment)
                state.contents[attachment.id] = content
                state.entries.insert(attachment.entryId)
            }
        }
    }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    func add(
        _ file: LocalFile, to entry: JournalEntry.ID, progress: TransferProgress?
    ) async throws(DomainError) -> Attachment {
        try check(entry)
        progress?.report(TransferCount(bytes: file.size, total: file.size))
        let attachment = Attachment(
            id: Attachment.ID("a\(current.attachments.count + 1)"), entryId: entry, fileName: file.name,
            mediaType: file.mediaType, size: file.size, digest: file.digest, createdAt: .noon)
        change { state in
            state.attachments.append(attachment)
            state.added.append(file)
        }
        return attachment
    }

    func list(_ entry: JournalEntry.ID, limit: Int?) async throws(DomainError) -> [Attachment] {
        try check(entry)
        change { $0.limits.append(limit) }
        return Array(current.attachments.filter { $0.entryId == entry }.prefix(limit ?? .max))
    }

    func get(_ id: Attachment.ID) async throws(DomainError) -> Attachment {
        if let failure = current.failure { throw failure }
        guard let found = current.attachments.first(where: { $0.id == id }) else {
            throw .notFound("No attachment '\(id)'.")
        }
        return found
    }

    func download(
        _ attachment: Attachment, to path: String, progress: TransferProgress?
    ) async throws(DomainError) -> Int64 {
        if let failure = current.failure { throw failure }
        let content = current.contents[attachment.id] ?? Data()
        let resumed = current.resumedFrom
        progress?.report(
            TransferCount(bytes: Int64(content.count), total: Int64(content.count), resumedFrom: resumed))
        do { try content.write(to: URL(filePath: path)) } catch { throw .storage("'\(path)' cannot be written.") }
        return resumed
    }

    private func check(_ entry: JournalEntry.ID) throws(DomainError) {
        if let failure = current.failure { throw failure }
        guard current.entries.contains(entry) else { throw .notFound("No journal entry '\(entry)'.") }
    }
}

/// The journal of this machine, as far as attaching looks at it.
final class EntryBook: JournalRepository {
    private let items: Mutex<[JournalEntry.ID: Stored<JournalEntry>]>
    init(_ items: [Stored<JournalEntry>] = []) {
        self.items = Mutex(Dictionary(items.map { ($0.id, $0) }) { _, last in last })
    }

    func put(_ item: Stored<JournalEntry>) { items.withLock { $0[item.id] = item } }

    func obstacle(_ id: JournalEntry.ID) async throws(DomainError) -> SyncState? { nil }

    func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID] {
        items.withLock { Array($0.keys) }
    }

    func get(
        _ id: JournalEntry.ID, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<JournalEntry>> {
        guard let item = items.withLock({ $0[id] }) else { throw .notFound("No journal entry '\(id)'.") }
        return Snapshot(item, .local)
    }

    func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, Stored<JournalEntry>) -> Void
    ) async throws(DomainError) -> Result { throw .unexpected("not asked") }
    func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int { 0 }
    func create(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry.ID] {
        throw .unexpected("not asked")
    }
    func update(_ id: JournalEntry.ID, _ changes: [String: JSONValue]) async throws(DomainError) {
        throw .unexpected("not asked")
    }
    func delete(_ id: JournalEntry.ID, basedOn version: Int) async throws(DomainError) {
        throw .unexpected("not asked")
    }
    func changes(of query: EntityQuery<JournalEntry>) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}

struct NoIdentity: LineIdentity {
    func id(for bytes: [UInt8]) -> String { "none" }
}

/// Files of real folders, read at once.
struct PlainFiles: LocalFiles {
    func measure(_ path: String) async throws(DomainError) -> LocalFile {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw .notFound("'\(path)' cannot be read.")
        }
        return LocalFile(path, size: Int64(content.count), digest: .sha256(of: content))
    }

    func kind(of path: String) -> FileKind {
        if path.hasPrefix("/dev/") { return .other }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return .nothing }
        return isDirectory.boolValue ? .directory : .file
    }
}

extension Attachments {
    init(
        _ shelf: AttachmentShelf, book: EntryBook = EntryBook(), files: any LocalFiles = PlainFiles(),
        settle: @escaping @Sendable () async -> Void = {}
    ) {
        self.init(
            shelf as any AttachmentRepository, files: files,
            journal: { () throws(DomainError) -> Journal in Journal(book, identity: NoIdentity(), settle: settle) })
    }
}
