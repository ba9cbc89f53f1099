import AttachmentsDomain
import Foundation
import StrataDomain
import StrataTesting
import Testing

struct DownloadAttachmentTests {
    private let content = Data("full\n".utf8)
    private func shelf(_ name: String = "disk.log") -> AttachmentShelf {
        AttachmentShelf([(.sample(name: name), content)])
    }

    @Test func `a directory gets the file under its own name`() async throws {
        let directory = try TemporaryDirectory()
        for destination in [directory.path, directory.path + "/"] {
            let download = try await Attachments(shelf()).download(Attachment.ID("a1"), to: destination)
            #expect(download.path == directory.file("disk.log"))
            #expect(directory.content("disk.log") == content)
        }
        #expect(directory.names == ["disk.log"])
    }

    @Test(arguments: [
        ("../../evil", "evil"), ("/etc/cron.d/evil", "evil"), ("..", "attachment"), (".bashrc", "_.bashrc"),
        ("a\\..\\b", "b"), ("", "attachment"),
    ])
    func `whatever the server calls it, it stays in the directory`(name: String, expected: String) async throws {
        let directory = try TemporaryDirectory()
        let download = try await Attachments(shelf(name)).download(Attachment.ID("a1"), to: directory.path)
        #expect(download.path == directory.file(expected))
        #expect(directory.names == [expected])
    }

    @Test func `a file that was not named is not replaced`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("disk.log", Data("mine".utf8))
        let error = await #expect(throws: DomainError.self) {
            try await Attachments(shelf()).download(Attachment.ID("a1"), to: directory.path)
        }
        guard case .storage(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains(directory.file("disk.log")) && text.contains("-o"))
        #expect(directory.content("disk.log") == Data("mine".utf8))
    }

    @Test func `a directory in the way of the file's name is not replaced either`() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.file("disk.log"), withIntermediateDirectories: true)
        await #expect(throws: DomainError.self) {
            try await Attachments(shelf()).download(Attachment.ID("a1"), to: directory.path)
        }
        #expect(directory.names == ["disk.log"])
    }

    @Test func `a file with the same content is there already`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("disk.log", content)
        let shelf = shelf()
        let download = try await Attachments(shelf).download(Attachment.ID("a1"), to: directory.path)
        #expect(download.wasThere && download.path == directory.file("disk.log"))
    }

    @Test func `a file that was named is replaced`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("mine", Data("old".utf8))
        let download = try await Attachments(shelf()).download(Attachment.ID("a1"), to: path)
        #expect(download.path == path && !download.wasThere)
        #expect(directory.content("mine") == content)
    }

    @Test func `a device is no destination`() async {
        await #expect(throws: DomainError.self) {
            try await Attachments(shelf()).download(Attachment.ID("a1"), to: "/dev/null")
        }
    }

    @Test func `an unknown attachment touches no file`() async throws {
        let directory = try TemporaryDirectory()
        await #expect(throws: DomainError.notFound("No attachment 'a9'.")) {
            try await Attachments(shelf()).download(Attachment.ID("a9"), to: directory.path)
        }
        #expect(directory.names.isEmpty)
    }
}
