import FoundationEssentials
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataNetworking

struct LinkedDestinationTests {
    private let rig: DownloadRig

    init() throws { rig = try DownloadRig() }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(rig.directory.path)/\(name)", withDestinationPath: target)
    }

    private func directory(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(rig.directory.path)/\(name)", withIntermediateDirectories: false)
    }

    @Test(arguments: [true, false])
    func `a link stays, and the file it leads to is replaced or made`(isThere: Bool) async throws {
        try directory("far")
        if isThere { try rig.directory.write("far/file", Data("old".utf8)) }
        try link("far/second", to: "file")
        try link("a", to: "far/second")
        let (file, _) = try await rig.download(rig.origin.answer())
        #expect(file.path == rig.directory.path + "/a")
        #expect(rig.directory.content("far/file") == rig.origin.content)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: rig.directory.path + "/a") == "far/second")
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: rig.directory.path + "/far/second") == "file")
        #expect(rig.directory.names == ["a", "far"])
    }

    @Test func `an absolute link is followed too`() async throws {
        try link("a", to: rig.directory.path + "/b")
        try await rig.download(rig.origin.answer())
        #expect(rig.directory.content("b") == rig.origin.content)
    }

    @Test func `a transfer that broke under one name goes on under another`() async throws {
        try link("a", to: "b")
        #expect(try await rig.failure(rig.origin.answer(cut: 4000)).text.contains("cut"))
        #expect(rig.directory.names == ["a", "b.part", "b.part.json"])
        let (file, transport) = try await rig.download(to: "b", rig.origin.answer())
        #expect(file.resumedFrom == 4000)
        #expect(transport.requests.first?.headers["Range"] == "bytes=4000-")
        #expect(rig.directory.content("a") == rig.origin.content)
    }

    @Test func `circular links and links to other things than files are refused before a request is sent`() async throws
    {
        try directory("d")
        try link("loop", to: "loop")
        try link("there", to: "back")
        try link("back", to: "there")
        try link("folder", to: "d")
        try link("device", to: "/dev/null")
        try link("lost", to: "none/file")
        for (name, text) in [
            ("loop", "Too many levels of symbolic links. Check where the link leads."), ("there", "Too many levels"),
            ("folder", "/d' is a directory; name a file to write."), ("device", "'/dev/null' is no regular file"),
            ("lost", "its directory does not exist"),
        ] {
            let failure = try await rig.failure(to: name)
            #expect(failure.text.contains(text), "\(name): \(failure.text)")
            #expect(failure.requests == 0)
        }
        #expect(rig.directory.names == ["back", "d", "device", "folder", "loop", "lost", "there"])
    }

    @Test func `a chain as long as the kernel follows is followed, and no longer`() throws {
        try rig.directory.write("0", Data())
        for number in 1...40 { try link("\(number)", to: "\(number - 1)") }
        #expect(try LinkTarget.path(of: rig.directory.path + "/39") == rig.directory.path + "/0")
        #expect(throws: Errno.self) { try LinkTarget.path(of: rig.directory.path + "/40") }
        #expect(try LinkTarget.path(of: "plain") == "plain")
    }
}
