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
                state.entries.insert(attachment.parentId)
            }
        }
    }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    func add(
        _ file: LocalFile, to entry: JournalEntry.ID, progress: TransferProgress?
    ) async throws(DomainError) -> (attachment: Attachment, resumedFrom: Int64) {
        try check(entry)
        progress?.report(TransferCount(bytes: file.size, total: file.size))
        let attachment = Attachment(
            id: Attachment.ID("a\(current.attachments.count + 1)"), parentId: entry, fileName: file.name,
            mediaType: file.mediaType, size: file.size, digest: file.digest, createdAt: .noon)
        change { state in
            state.attachments.append(attachment)
            state.added.append(file)
        }
        return (attachment, current.resumedFrom)
    }

    func list(_ entry: JournalEntry.ID, limit: Int?) async throws(DomainError) -> [Attachment] {
        try check(entry)
        change { $0.limits.append(limit) }
        return Array(current.attachments.filter { $0.parentId == entry }.prefix(limit ?? .max))
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
typealias EntryBook = MemoryEntityRepository<JournalEntry>

extension MemoryEntityRepository<JournalEntry> {
    /// Puts an entry as the sync engine does.
    func put(_ item: Stored<JournalEntry>) {
        change { state in
            state.items.removeAll { $0.id == item.id }
            state.items.append(item)
        }
    }
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
        book.change { $0.origin = .local }
        self.init(
            shelf as any AttachmentRepository<JournalEntry>, files: files,
            parents: { () throws(DomainError) in AttachmentParents(EntityUseCases(book), settle: settle) })
    }
}

/// Resumes uploads of attachments as it is told.
final class ScriptedUploads: ResumableUploader {
    enum Answer: Sendable {
        case sent(Attachment, resumedFrom: Int64)
        case unsupported
        case failure(NetworkError.Kind)
    }

    private let answer: Answer
    private let made = Mutex<[(request: UploadRequest, options: CallOptions)]>([])

    init(_ answer: Answer) { self.answer = answer }

    /// Every call so far, in order.
    var calls: [(request: UploadRequest, options: CallOptions)] { made.withLock { $0 } }

    func upload<E: Endpoint>(
        _ endpoint: E, _ request: UploadRequest, options: CallOptions
    ) async throws(NetworkError) -> UploadedFile<E.Response>? {
        made.withLock { $0.append((request, options)) }
        switch answer {
        case .sent(let attachment, let resumedFrom):
            guard let value = attachment as? E.Response else { throw NetworkError(.unexpected("another endpoint")) }
            return UploadedFile(
                response: APIResponse(head: ResponseHead(status: 201), value: value), resumedFrom: resumedFrom)
        case .unsupported: return nil
        case .failure(let kind): throw NetworkError(kind)
        }
    }
}
