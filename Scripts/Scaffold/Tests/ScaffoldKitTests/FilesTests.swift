import Testing

@testable import ScaffoldKit

/// Paths, digests, and the disk below one folder.
@Suite struct FilesTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
        ),
    ])
    func `the digest is SHA-256`(text: String, digest: String) {
        #expect(FileContents(text).digest == digest)
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "..", "../x", "a/../b", "a/..", ".", "a/./b", "a//b", "a/", "a\nb", "a\u{0}b",
        "a\u{1B}[2J",
        String(repeating: "a", count: 256),
    ])
    func `a path cannot leave its root`(text: String) {
        let message = refusal { _ = try RelativePath(text) }

        #expect(message.contains("use one below the repository"), "\(message)")
        #expect(message.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F || $0 > 0x7F }, "\(message)")
    }

    @Test func `a path knows the folders above`() throws {
        let path: RelativePath = "a/b/c"

        #expect(path.folders == ["a", "a/b"])
        #expect(path.isWithin("a"))
        #expect(!path.isWithin("a/bc"))
        #expect(try path.appending("d/e") == "a/b/c/d/e")
    }

    @Test func `a place is named without dots and links, also where no folder is yet`() throws {
        try withFolder { files, root in
            try files.createFolder("clone")
            try link(root + "/clone", at: root + "/door")

            for (path, place) in [
                ("clone/../orders", "orders"), ("clone/../orders/desk", "orders/desk"), ("clone/./desk", "clone/desk"),
                ("clone/..//clone", "clone"), ("door/desk", "clone/desk"), ("door/../orders", "orders"),
            ] {
                #expect(Places.real("\(root)/\(path)") == "\(root)/\(place)", "\(path)")
            }
        }
    }

    @Test func `the disk is written and read`() throws {
        try withFolder { files, _ in
            try files.createFolder("a")
            try files.create("a/b", FileContents("one", isExecutable: true))

            #expect(try files.read("a/b") == FileContents("one", isExecutable: true))
            #expect(try files.names(in: .root) == ["a"])
            #expect(try files.kind(of: "a") == .folder)
            #expect(try files.kind(of: "a/b/c") == nil)
            #expect(throws: FileFault.self) { try files.create("a/b", FileContents("two")) }
            #expect(throws: FileFault.self) { try files.removeFolder("a") }
        }
    }

    @Test func `nothing is read or written through a link`() throws {
        try withFolder { files, root in
            try withFolder { outside, elsewhere in
                try outside.create("secret", FileContents("kept"))
                try link(elsewhere, at: root + "/door")
                try link(elsewhere + "/secret", at: root + "/file")

                #expect(try files.kind(of: "door") == .link)
                #expect(throws: FileFault.self) { try files.read("door/secret") }
                #expect(throws: FileFault.self) { try files.read("file") }
                #expect(throws: FileFault.self) { try files.create("door/new", FileContents("x")) }
                #expect(throws: FileFault.self) { try files.remove("door/secret") }
                #expect(throws: FileFault.self) { try files.createFolder("door/new") }
                #expect(throws: FileFault.self) { try files.names(in: "door") }
                #expect(
                    refusal { _ = try Plan([.create("door/new", FileContents("x"))], in: SourceTree(files)) }.contains(
                        "link"))
                #expect(refusal { _ = try Plan([.delete("file")], in: SourceTree(files)) }.contains("link"))
                #expect(try outside.names(in: .root) == ["secret"])
                #expect(try outside.read("secret").text == "kept")
            }
        }
    }

    @Test func `a tree passes over links, Git's folder and build products`() throws {
        try withFolder { files, root in
            for folder in [".git", ".build", ".build-scaffold", "a"] as [RelativePath] {
                try files.createFolder(folder)
                try files.create(try folder.appending("f"), FileContents("x"))
            }
            try link(root, at: root + "/loop")

            #expect(try SourceTree(files).paths() == ["a/f"])
        }
    }

    @Test func `one run at a time works in a tree`() throws {
        try withFolder { _, root in
            try TreeLock.held(root: root) { () throws(ScaffoldRefusal) in
                #expect(refusal { try TreeLock.held(root: root) {} }.contains("Another run"))
            }
            #expect(refusal { try TreeLock.held(root: root) {} } == "")
        }
    }
}
