import AttachmentsDomain
import Foundation
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

struct AddAttachmentTests {
    private let shelf = AttachmentShelf()
    private let entry = JournalEntry.ID("e1")

    @Test func `a file is attached under its own name, whatever directory it is in`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("shot.png", Data([1, 2, 3]))
        let added = try await Attachments(shelf).add(path, to: entry)
        #expect(!added.wasThere)
        let sent = shelf.current.added
        #expect(sent == [LocalFile(path, size: 3, digest: .sha256(of: Data([1, 2, 3])))])
        #expect(sent.map(\.name.text) == ["shot.png"] && sent.map(\.mediaType) == ["image/png"])
    }

    @Test func `the same file is not sent again, another content or name is`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("a.log", Data("one".utf8))
        let attachments = Attachments(shelf)
        let first = try await attachments.add(path, to: entry)
        let again = try await attachments.add(path, to: entry)
        #expect(again.attachment == first.attachment && again.wasThere)
        try directory.write("a.log", Data("two".utf8))
        #expect(try await !attachments.add(path, to: entry).wasThere)
        #expect(try await !attachments.add(directory.write("b.log", Data("one".utf8)), to: entry).wasThere)
        #expect(shelf.current.added.count == 3)
    }

    @Test func `a file that cannot be read ends before the server is asked`() async {
        await #expect(throws: DomainError.notFound("'/nowhere/x' cannot be read.")) {
            try await Attachments(shelf).add("/nowhere/x", to: entry)
        }
        #expect(shelf.current.added.isEmpty)
    }

    @Test(arguments: [SyncState.synced, .queued, .conflicted, .rejected])
    func `an entry the server has, edited or not, is not waited for`(state: SyncState) async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("a.log", Data())
        let attachments = Attachments(
            shelf, book: EntryBook([.sample(version: 2, state: state)]), settle: { Issue.record("waited") })
        _ = try await attachments.add(path, to: entry)
        #expect(shelf.current.added.count == 1)
    }

    @Test func `an entry that is only here is sent first`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("a.log", Data())
        let book = EntryBook([.sample(version: 0, state: .queued)])
        let attachments = Attachments(shelf, book: book, settle: { book.put(.sample(version: 1)) })
        _ = try await attachments.add(path, to: entry)
        #expect(shelf.current.added.count == 1)
    }

    @Test func `an entry that could not be sent is unavailable, and the next step is to synchronise`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("a.log", Data())
        let attachments = Attachments(shelf, book: EntryBook([.sample(version: 0, state: .queued)]))
        let error = await #expect(throws: DomainError.self) { try await attachments.add(path, to: entry) }
        guard case .unavailable(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("'e1'") && text.contains("shiftlog sync"))
        #expect(shelf.current.added.isEmpty)
    }

    @Test func `an entry the server refused takes no file`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("a.log", Data())
        let attachments = Attachments(
            shelf, book: EntryBook([.sample(version: 0, state: .rejected)]), settle: { Issue.record("waited") })
        let error = await #expect(throws: DomainError.self) { try await attachments.add(path, to: entry) }
        guard case .validation(let text, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("outbox list"))
    }

    @Test func `an entry removed while it was sent is the server's to know`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("a.log", Data())
        await #expect(throws: DomainError.notFound("No journal entry 'e9'.")) {
            try await Attachments(shelf).add(path, to: JournalEntry.ID("e9"))
        }
    }

    @Test func `progress ends with the call, also when it fails`() async throws {
        let progress = TransferProgress()
        _ = try? await Attachments(shelf).add("/nowhere/x", to: entry, progress: progress)
        for await count in progress.updates { Issue.record("\(count)") }
    }
}
