import Foundation
import Testing

@testable import ScaffoldKit

/// On a real disk: nothing beside the tree is touched, whatever is asked for.
@Suite struct DiskTests {
    /// A tree with sentinels beside it and in it.
    private func withTree(_ body: (LocalFileSystem, _ outside: LocalFileSystem) throws -> Void) throws {
        try withFolder { outside, root in
            try outside.create("sentinel", FileContents("kept"))
            try outside.createFolder("tree")
            let files = try LocalFileSystem(root: root + "/tree")
            for (path, contents) in MemoryFileSystem.sample().files {
                for folder in path.folders where try files.kind(of: folder) == nil { try files.createFolder(folder) }
                try files.create(path, contents)
            }
            try body(files, outside)
            #expect(try outside.names(in: .root) == ["sentinel", "tree"])
            #expect(try outside.read("sentinel").text == "kept")
        }
    }

    private func snapshot(_ files: LocalFileSystem) throws -> [RelativePath: FileContents?] {
        let tree = SourceTree(files)
        var found: [RelativePath: FileContents?] = [:]
        for path in try tree.paths() { found[path] = try tree.contents(path) }
        return found
    }

    @Test func `a feature is added and goes to the byte`() throws {
        try withTree { files, _ in
            let before = try snapshot(files)
            let tool = ScaffoldTool(files)

            _ = try tool.add(.incident, isDry: true)
            #expect(try snapshot(files) == before)
            _ = try tool.add(.incident, isDry: false)
            #expect(try snapshot(files).count == before.count + 6)
            _ = try tool.remove("Incident", isForced: false, isDry: false)

            #expect(try snapshot(files) == before)
            #expect(try files.kind(of: ".scaffold") == nil)
            #expect(try files.names(in: "Modules/Features") == ["Accounts", "Runbooks", "Specimens"])
        }
    }

    @Test(arguments: [
        "../x", "../sentinel", "/sentinel", "..", ".", "a\u{0}b", "x\ny", "\"x\"", "'x'", "$(touch x)", "`touch x`",
        "a;b",
        "-rf", "~", "*", "Inc\u{456}dent", String(repeating: "x", count: 300), "\u{1B}[2J", "C:\\x", "%2e%2e%2fx",
    ])
    func `hostile text changes nothing, wherever it stands`(text: String) throws {
        try withTree { files, _ in
            let before = try snapshot(files)
            let tool = ScaffoldTool(files)
            let requests = [
                AddFeature.Request(name: text), AddFeature.Request(name: "Incident", plural: text),
                AddFeature.Request(name: "Incident", fields: text),
                AddFeature.Request(name: "Incident", fields: "a:\(text)"),
                AddFeature.Request(name: "Incident", fields: "a:enum(\(text))"),
                AddFeature.Request(name: "Incident", fields: "a:reference(\(text))"),
            ]
            for request in requests {
                let message = refusal { _ = try tool.add(request, isDry: false) }
                #expect(!message.isEmpty, "\(request)")
                #expect(
                    message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F || $0 == "…" }, "\(message)"
                )
                #expect(message.count < 600)
            }
            #expect(!refusal { _ = try tool.remove(text, isForced: true, isDry: false) }.isEmpty)
            #expect(try snapshot(files) == before)
        }
    }

    @Test(.enabled(if: getuid() != 0, "Root may write everywhere."))
    func `a folder that may not be written is refused, and nothing is left behind`() throws {
        try withTree { files, _ in
            let before = try snapshot(files)
            let path = "\(files.root)/Modules/Features"
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: path)
            defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path) }

            #expect(
                refusal { _ = try ScaffoldTool(files).add(.incident, isDry: false) }.contains("Nothing was changed."))
            #expect(try snapshot(files) == before)
        }
    }

    @Test func `a link in the way is not followed`() throws {
        try withTree { files, outside in
            try outside.createFolder("target")
            try link(outside.root + "/target", at: files.root + "/.scaffold")
            defer { try? outside.removeFolder("target") }
            let before = try snapshot(files)

            #expect(refusal { _ = try ScaffoldTool(files).add(.incident, isDry: false) }.contains("symbolic link"))
            #expect(try outside.names(in: "target") == [])
            #expect(try snapshot(files) == before)
        }
    }
}
