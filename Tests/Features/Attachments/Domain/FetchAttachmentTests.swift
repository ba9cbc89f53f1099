import AttachmentsDomain
import Foundation
import StrataDomain
import Testing

struct FetchAttachmentTests {
    private let content = Data("full\n".utf8)
    private func shelf(_ name: String = "disk.log") -> AttachmentShelf {
        AttachmentShelf([(.sample(name: name), content)])
    }

    @Test func `a folder gets the file under its own name`() async throws {
        let folder = try Folder()
        for destination in [folder.path, folder.path + "/"] {
            let fetched = try await Attachments(shelf()).fetch(Attachment.ID("a1"), to: destination)
            #expect(fetched.path == folder("disk.log"))
            #expect(folder.read("disk.log") == content)
        }
        #expect(folder.names == ["disk.log"])
    }

    @Test(arguments: [
        ("../../evil", "evil"), ("/etc/cron.d/evil", "evil"), ("..", "attachment"), (".bashrc", "_.bashrc"),
        ("a\\..\\b", "b"), ("", "attachment"),
    ])
    func `whatever the server calls it, it stays in the folder`(name: String, expected: String) async throws {
        let folder = try Folder()
        let fetched = try await Attachments(shelf(name)).fetch(Attachment.ID("a1"), to: folder.path)
        #expect(fetched.path == folder(expected))
        #expect(folder.names == [expected])
    }

    @Test func `a file that was not named is not replaced`() async throws {
        let folder = try Folder()
        try folder.write("disk.log", Data("mine".utf8))
        let error = await #expect(throws: DomainError.self) {
            try await Attachments(shelf()).fetch(Attachment.ID("a1"), to: folder.path)
        }
        guard case .storage(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains(folder("disk.log")) && text.contains("-o"))
        #expect(folder.read("disk.log") == Data("mine".utf8))
    }

    @Test func `a folder in the way of the file's name is not replaced either`() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder("disk.log"), withIntermediateDirectories: true)
        await #expect(throws: DomainError.self) {
            try await Attachments(shelf()).fetch(Attachment.ID("a1"), to: folder.path)
        }
        #expect(folder.names == ["disk.log"])
    }

    @Test func `a file with the same content is there already`() async throws {
        let folder = try Folder()
        try folder.write("disk.log", content)
        let shelf = shelf()
        let fetched = try await Attachments(shelf).fetch(Attachment.ID("a1"), to: folder.path)
        #expect(fetched.wasThere && fetched.path == folder("disk.log"))
    }

    @Test func `a file that was named is replaced`() async throws {
        let folder = try Folder()
        let path = try folder.write("mine", Data("old".utf8))
        let fetched = try await Attachments(shelf()).fetch(Attachment.ID("a1"), to: path)
        #expect(fetched.path == path && !fetched.wasThere)
        #expect(folder.read("mine") == content)
    }

    @Test func `a device is no destination`() async {
        await #expect(throws: DomainError.self) {
            try await Attachments(shelf()).fetch(Attachment.ID("a1"), to: "/dev/null")
        }
    }

    @Test func `an unknown attachment touches no file`() async throws {
        let folder = try Folder()
        await #expect(throws: DomainError.notFound("No attachment 'a9'.")) {
            try await Attachments(shelf()).fetch(Attachment.ID("a9"), to: folder.path)
        }
        #expect(folder.names.isEmpty)
    }
}
