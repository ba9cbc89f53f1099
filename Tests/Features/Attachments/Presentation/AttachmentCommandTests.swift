import ArgumentParser
import AttachmentsDomain
import AttachmentsPresentation
import Foundation
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

struct AttachmentCommandTests {
    private let content = Data("full\n".utf8)
    private let digest = "sha-256=:DnFqX+9ObcG8//Iq1S9zyk7uP06oKS9KGRjaoyWSiJ8=:"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var shelf: AttachmentShelf { AttachmentShelf([(.sample(content: content), content)]) }

    @Test func `an added file is confirmed with its id`() async throws {
        let (console, output, errors) = Console.inMemory()
        let (shelf, path) = (AttachmentShelf(), try directory.write("disk.log", content))
        try await AttachmentAddCommand.parse(["e1", path]).run(Attachments(shelf), console)
        #expect(output.text == "a1  attached\n" && errors.text.isEmpty)
        try await AttachmentAddCommand.parse(["e1", path]).run(Attachments(shelf), console)
        #expect(output.text == "a1  attached\na1  already attached\n")
        #expect(shelf.current.added.count == 1)
    }

    @Test func `a resumed upload says where it went on`() async throws {
        let (console, output, errors) = Console.inMemory()
        let (shelf, path) = (AttachmentShelf(), try directory.write("disk.log", content))
        shelf.change { $0.resumedFrom = 3 }
        try await AttachmentAddCommand.parse(["e1", path]).run(Attachments(shelf), console)
        #expect(output.text == "a1  attached\n" && errors.text == "Went on from byte 3.\n")
    }

    @Test func `an added file is an object with the wire's names for programs`() async throws {
        let (console, output, _) = Console.inMemory(json: true)
        let path = try directory.write("disk.log", content)
        try await AttachmentAddCommand.parse(["e1", path, "--json"]).run(Attachments(AttachmentShelf()), console)
        #expect(
            output.text == #"{"created_at":"2026-11-21T12:00:00.000Z","digest":"\#(digest)","entry_id":"e1","#
                + #""file_name":"disk.log","id":"a1","media_type":"text/plain","size":5}"# + "\n")
    }

    @Test func `a resumed upload tells programs the bytes of earlier runs`() async throws {
        let (console, output, _) = Console.inMemory(json: true)
        let (shelf, path) = (AttachmentShelf(), try directory.write("disk.log", content))
        shelf.change { $0.resumedFrom = 3 }
        try await AttachmentAddCommand.parse(["e1", path, "--json"]).run(Attachments(shelf), console)
        #expect(output.text.contains(#""media_type":"text/plain","resumed_from":3,"size":5}"#), "\(output.text)")
    }

    @Test func `the list is a table for people and an array for programs`() async throws {
        let (people, table, _) = Console.inMemory()
        try await ResourceListCommand<Attachment>.parse(["e1"]).run(Attachments(shelf), people)
        #expect(
            table.lines == [
                "ID  FILE      TYPE        BYTES  ADDED", "a1  disk.log  text/plain      5  2026-11-21 12:00:00Z",
            ])
        let (programs, document, _) = Console.inMemory(json: true)
        try await ResourceListCommand<Attachment>.parse(["e1", "--json"]).run(Attachments(shelf), programs)
        #expect(document.text.hasPrefix(#"[{"created_at":"#) && document.text.hasSuffix("}]\n"))
    }

    @Test func `a table reads one file more than it shows, and says that there are more`() async throws {
        let shelf = AttachmentShelf((1...3).map { (.sample("a\($0)", content: content), content) })
        let (people, table, errors) = Console.inMemory()
        try await ResourceListCommand<Attachment>.parse(["e1", "--limit", "1"]).run(Attachments(shelf), people)
        #expect(table.lines.count == 2 && shelf.current.limits == [2])
        #expect(errors.text == "1 shown, and there are more; --limit N shows them.\n")
    }

    @Test func `a list on a terminal names files so that they are found again`() async throws {
        let (entry, file) = ("019a9a3e-1f00-7000-8000-00000b77e01d", "019a9a3e-1f00-7000-8000-00000c77e01e")
        let shelf = AttachmentShelf([(.sample(file, entry: entry, content: content), content)])
        let book = EntryBook([.sample(entry)])
        let (people, table, _) = Console.inMemory(width: 60)
        try await ResourceListCommand<Attachment>.parse(["b77e01d"]).run(Attachments(shelf, book: book), people)
        #expect(table.text.contains("b77e01d/c77e01e  disk.log"))
        let (console, output, _) = Console.inMemory()
        for id in ["b77e01d/c77e01e", "\(entry)/c77e01e", file] {
            try await AttachmentGetCommand.parse([id, "-o", directory.file("x")])
                .run(Attachments(shelf, book: book), console)
        }
        #expect(output.lines == Array(repeating: "\(file)  \(directory.file("x"))", count: 3))
    }

    @Test func `no files at all is no error, and says how to add one`() async throws {
        let (people, text, errors) = Console.inMemory()
        try await ResourceListCommand<Attachment>.parse(["e1"]).run(Attachments(AttachmentShelf()), people)
        #expect(text.text.isEmpty && errors.text.contains("attachments add e1 FILE"))
    }

    @Test func `a fetched file is confirmed with its place`() async throws {
        let (console, output, errors) = Console.inMemory()
        try await AttachmentGetCommand.parse(["a1", "-o", directory.path]).run(Attachments(shelf), console)
        #expect(output.text == "a1  \(directory.file("disk.log"))\n" && errors.text.isEmpty)
        #expect(directory.content("disk.log") == content)
        try await AttachmentGetCommand.parse(["a1", "-o", directory.path]).run(Attachments(shelf), console)
        #expect(errors.text == "It was there already, with the same content.\n")
    }

    @Test func `a transfer that went on says from where`() async throws {
        let shelf = shelf
        shelf.change { $0.resumedFrom = 3 }
        let (console, _, errors) = Console.inMemory()
        try await AttachmentGetCommand.parse(["a1", "-o", directory.file("x")]).run(Attachments(shelf), console)
        #expect(errors.text == "Went on from byte 3.\n")
        let (programs, output, _) = Console.inMemory(json: true)
        try await AttachmentGetCommand.parse(["a1", "-o", directory.file("x")]).run(Attachments(shelf), programs)
        #expect(
            output.text
                == #"{"already_there":false,"digest":"\#(digest)","id":"a1","path":"\#(directory.file("x"))","resumed_from":3,"size":5}"#
                + "\n")
    }

    @Test func `a terminal shows how far a transfer is, and nothing of it stays`() async throws {
        let (console, output, errors) = Console.inMemory(width: 100)
        try await AttachmentGetCommand.parse(["a1", "-o", directory.file("x")]).run(Attachments(shelf), console)
        #expect(errors.text.contains("receive ████████████████████ 100 %  5 B of 5 B"))
        #expect(errors.text.hasSuffix("\r\u{1B}[K"))
        #expect(output.text.contains("a1"))
        let path = try directory.write("new.log", content)
        try await AttachmentAddCommand.parse(["e1", path]).run(Attachments(shelf), console)
        #expect(errors.text.contains("send ████████████████████ 100 %"))
    }

    @Test func `a failed transfer takes its progress line away before the error`() async throws {
        let shelf = shelf
        let (console, output, errors) = Console.inMemory(width: 100)
        await #expect(throws: DomainError.self) {
            try await AttachmentGetCommand.parse(["a1", "-o", "/nowhere/x"]).run(Attachments(shelf), console)
        }
        #expect(output.text.isEmpty)
        #expect(errors.text.isEmpty || errors.text.hasSuffix("\r\u{1B}[K"))
    }

    @Test func `offline nothing is touched, and the text says what to do`() async throws {
        let (shelf, path) = (shelf, try directory.write("disk.log", content))
        shelf.change { $0.failure = .unexpected("was asked") }
        let (console, _, _) = Console.inMemory()
        let expected = DomainError.unavailable(
            "Attached files are kept at the server only; run the command again without --offline.")
        await #expect(throws: expected) {
            try await AttachmentAddCommand.parse(["e1", path, "--offline"]).run(Attachments(shelf), console)
        }
        await #expect(throws: expected) {
            try await ResourceListCommand<Attachment>.parse(["e1", "--offline"]).run(Attachments(shelf), console)
        }
        await #expect(throws: expected) {
            try await AttachmentGetCommand.parse(["a1", "--offline"]).run(Attachments(shelf), console)
        }
        #expect(StrataTerminal.ExitStatus(expected) == .unavailable)
    }

    @Test(arguments: [
        (DomainError.notFound("x"), StrataTerminal.ExitStatus.notFound), (.validation("x"), .rejected),
        (.unavailable("x"), .unavailable),
        (.busy("x"), .tryLater), (.unauthorized("x"), .noPermission), (.storage("x"), .cannotWrite),
        (.cancelled, .interrupted),
    ])
    func `a failure ends the command with its status`(failure: DomainError, status: StrataTerminal.ExitStatus)
        async throws
    {
        let (shelf, path) = (shelf, try directory.write("disk.log", content))
        shelf.change { $0.failure = failure }
        for run in [
            { try await AttachmentAddCommand.parse(["e1", path]).run(Attachments(shelf), $0) },
            { try await ResourceListCommand<Attachment>.parse(["e1"]).run(Attachments(shelf), $0) },
            { try await AttachmentGetCommand.parse(["a1", "-o", path]).run(Attachments(shelf), $0) },
        ] as [(Console) async throws -> Void] {
            let (console, output, _) = Console.inMemory()
            let error = await #expect(throws: DomainError.self) { try await run(console) }
            #expect(error.map { console.fail($0) } == status)
            #expect(output.text.isEmpty)
        }
    }
}
