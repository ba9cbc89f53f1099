import Foundation
import Testing

@testable import ScaffoldKit

/// The scripts of a service, which run those of Strata, and what they print.
@Suite(.serialized) struct ServiceScriptsTests {
    private func files(
        _ strata: StrataOrigin, extras: [Extra] = []
    ) throws -> [String: FileContents] {
        try ServiceRenderer().render(
            ServiceSpec(name: "OrderDesk", features: [], strata: strata, extras: extras),
            from: try TemplateTree.checkedOut(at: repositoryRoot))
    }

    /// Names that the scripts of a service hand to `Scripts/strata`.
    private func handedOn(_ files: [String: FileContents]) -> [String] {
        files.filter { $0.key.hasPrefix("Scripts/") }.values.compactMap {
            ($0.text ?? "").firstMatch(of: /\/strata" ([a-z-]+) "\$@"/).map { String($0.1) }
        }.sorted()
    }

    @Test func `a service has no copy of a script of Strata`() throws {
        let files = try files(.path(repositoryRoot))
        #expect(!files.keys.contains { $0.hasPrefix("Scripts/lib/") })
        let longer = files.filter {
            $0.key.hasPrefix("Scripts/") && ($0.value.text ?? "").filter { $0 == "\n" }.count > 4
        }
        #expect(longer.keys.sorted() == ["Scripts/strata", "Scripts/update-from-template"])
        #expect(
            handedOn(files) == [
                "add-field", "check", "format", "list-features", "new-client", "new-feature", "new-secret", "openapi",
                "remove-client", "remove-feature", "run-server", "test", "watch",
            ])
    }

    @Test func `what the scripts hand on is in the copy of Strata, too, with what it needs`() throws {
        let files = try files(.vendored)
        for name in handedOn(files) + ["page"] {
            let script = files["Strata/Scripts/lib/service/\(name)"] ?? files["Strata/Scripts/\(name)"]
            #expect(script?.isExecutable == true, "\(name)")
        }
        for (path, contents) in files where path.hasPrefix("Strata/Scripts/") {
            for match in (contents.text ?? "").matches(of: /Scripts\/lib\/[\w\/]+\.(?:sh|py)/) {
                #expect(files["Strata/\(match.0)"] != nil, "\(path) names \(match.0)")
            }
        }
        for page in ["Operations.md", "Guides/FirstFeature.md", "Packaging/haproxy.cfg"] {
            #expect(files["Strata/Docs/\(page)"] != nil, "\(page)")
        }
    }

    @Test func `Strata is fetched where it comes from a URL, and a broken link is explained where it is one`() throws {
        let url = StrataOrigin.url(try RepositoryURL("https://git.example.com/clay.git"), commit: "0a")
        for (strata, fetches, links) in [
            (url, true, false), (.path(repositoryRoot), false, true), (.vendored, false, false),
        ] {
            let script = try #require(try files(strata)["Scripts/strata"]?.text)
            #expect(script.contains("swift package --package-path") == fetches)
            #expect(script.contains("readlink") == links)
        }
    }

    @Test func `each metric and setting of the operations page is one of Strata's`() throws {
        func names(_ page: String) throws -> Set<String> {
            let text = try String(contentsOfFile: "\(repositoryRoot)/\(page)", encoding: .utf8)
            return Set(text.matches(of: /shiftlog_[a-z_]+|SHIFTLOG_[A-Z_]+/).map { String($0.0) })
        }
        let used = try names("Scripts/Scaffold/Service/Docs/Operations.md").map {
            $0.replacing("_seconds_bucket", with: "_seconds")
        }
        #expect(used.count > 8)
        let known = try names("Docs/Operations.md")
        #expect(used.filter { !known.contains($0) } == [])
    }

    /// Runs a script of a service that links to this repository; none of them builds anything.
    private func run(_ words: String, in folder: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = URL(filePath: folder)
        process.arguments = words.split(separator: " ").map(String.init)
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    private func withService(
        strata: StrataOrigin = .path(repositoryRoot), _ body: (String) throws -> Void
    ) throws {
        try withFolder { _, folder in
            let tree = try TemplateTree.checkedOut(at: repositoryRoot)
            let spec = ServiceSpec(name: "OrderDesk", features: [], strata: strata)
            let place = "\(folder)/desk"
            try NewService(spec, in: place, template: repositoryRoot, from: tree).write(secret: "0123456789abcdef")
            try body(place)
        }
    }

    @Test func `pages of Strata are printed under the names of the service, without features that it lacks`() throws {
        try withService { place in
            let listed = try run("Scripts/strata page", in: place).output
            #expect(listed.contains("Operations.md\n") && listed.contains("Packaging/haproxy.cfg\n"))
            let page = try run("Scripts/strata page Operations.md", in: place).output
            for words in ["`ORDER_DESK_HTTP_PORT`", "`order_desk_http_requests_total`", "order-desk-server serve"] {
                #expect(page.contains(words), "\(words)")
            }
            for words in ["shiftlog", "scaffold:", "attachment_directory"] {
                #expect(!page.lowercased().contains(words), "\(words)")
            }
            try FileManager.default.createDirectory(
                atPath: "\(place)/Modules/Features/Attachments", withIntermediateDirectories: true)
            #expect(try run("Scripts/strata page Operations.md", in: place).output.contains("ATTACHMENT_DIRECTORY"))
            #expect(try run("Scripts/strata page Operation.md", in: place).status == 66)
        }
    }

    @Test func `only a service with a journal says what a host token can add to it`() throws {
        let words = "entries and files"
        let own = try files(.path(repositoryRoot), extras: Extra.allCases)
        #expect(own.filter { ($0.value.text ?? "").contains(words) }.keys.sorted() == [])
        try withService { place in
            let page = try run("Scripts/strata page Operations.md", in: place).output
            #expect(page.contains("order-desk host-tokens create db1"))
            #expect(!page.contains(words))
            try FileManager.default.createDirectory(
                atPath: "\(place)/Modules/Features/Journal", withIntermediateDirectories: true)
            #expect(try run("Scripts/strata page Operations.md", in: place).output.contains(words))
        }
    }

    @Test(arguments: ["test", "check", "format", "openapi", "run-server", "new-secret", "watch"])
    func `a script of the service prints the help of Strata's`(name: String) throws {
        try withService { place in
            let help = try run("Scripts/\(name) --help", in: place)
            #expect(help.status == 0)
            #expect(help.output.hasPrefix("Scripts/\(name)"))
        }
    }

    @Test(arguments: [
        ("Scripts/openapi --nothing", 64), ("Scripts/openapi --breaking nothing", 66), ("Scripts/strata", 64),
        ("Scripts/strata nothing", 65),
    ])
    func `a wrong argument has its own status`(words: String, status: Int32) throws {
        try withService { place in
            let ended = try run(words, in: place)
            #expect(ended.status == status)
        }
    }

    @Test func `a new secret takes the place of the old one, and other settings stay`() throws {
        try withService { place in
            let file = URL(filePath: "\(place)/.env")
            try Data("ORDER_DESK_LOG_LEVEL=debug\nORDER_DESK_SIGNING_SECRET=old\n".utf8).write(to: file)
            #expect(try run("Scripts/new-secret", in: place).status == 0)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 2 && lines[0] == "ORDER_DESK_LOG_LEVEL=debug")
            #expect(lines[1].wholeMatch(of: /ORDER_DESK_SIGNING_SECRET=[0-9a-f]{96}/) != nil)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test(arguments: [false, true])
    func `a checkout of another commit than the manifest's is fetched again before its scripts run`(isOld: Bool) throws
    {
        try withFolder { _, folder in
            let git = Git(folder)
            _ = try git.lines(["init", "--quiet", "checkout"])
            try SmallTemplate.commit("here", in: "\(folder)/checkout")
            let head = try #require(try Git("\(folder)/checkout").lines(["rev-parse", "HEAD"]).first)
            let commit = isOld ? String(repeating: "0", count: 40) : head
            let url = try RepositoryURL("https://git.example.com/clay.git")
            try withService(strata: .url(url, commit: commit)) { place in
                try FileManager.default.createDirectory(
                    atPath: "\(place)/.build/checkouts", withIntermediateDirectories: true)
                try FileManager.default.moveItem(
                    atPath: "\(folder)/checkout", toPath: "\(place)/.build/checkouts/clay")
                let swift = "\(folder)/swift"
                try Data("#!/bin/sh\necho \"$@\" >'\(folder)/asked'\n".utf8).write(to: URL(filePath: swift))
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift)
                let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
                #expect(
                    try run("-u SWIFTPM_BUILD_DIR PATH=\(folder):\(path) Scripts/strata nothing", in: place).status
                        == 65)
                #expect(FileManager.default.fileExists(atPath: "\(folder)/asked") == isOld)
            }
        }
    }

    @Test func `a link to a folder that this machine lacks is explained`() throws {
        try withService { place in
            try FileManager.default.removeItem(atPath: "\(place)/Strata")
            try link("/nowhere/strata", at: "\(place)/Strata")
            #expect(try run("Scripts/test", in: place).status == 65)
        }
    }
}
