import Foundation
import Testing

@testable import ScaffoldKit

@Suite(.serialized) struct NewServiceTests {
    @Test
    func `a service has its own name everywhere, the features that were chosen, and a secret for its owner alone`()
        throws
    {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let place = try template.makeService(in: folder, features: "Runbooks")
            let files = try snapshot(place)

            #expect(files["Docs/Packaging/orders.txt"] == Data("orders\n".utf8))
            #expect(files["Modules/Features/Runbooks/Domain/Runbooks.swift"] == Data("// Runbooks of Orders\n".utf8))
            #expect(files["Modules/Features/Accounts/Domain/Accounts.swift"] == nil)
            #expect(
                files["Strata/Modules/Features/Accounts/Domain/Accounts.swift"]
                    == Data("// Accounts of Shiftlog\n".utf8))
            #expect(files["Strata/Modules/Features/Journal/Domain/Journal.swift"] == nil)
            #expect(files["Modules/Features/Journal/Domain/Journal.swift"] == nil)
            #expect(files["Strata/Modules/Domain/Domain.swift"] == Data("// Strata\n".utf8))
            #expect(files[".env"] == Data("ORDERS_SIGNING_SECRET=0123456789abcdef\n".utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: "\(place)/.env")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try Git(place).lines(["ls-files", ".env"]).isEmpty, "the secret is in no version control")
            let record = try TemplateRecord(FileContents(bytes: Array(try #require(files[".template.json"]))))
            #expect(record.commit == (try Git(template.root).lines(["rev-parse", "HEAD"]).first))
            #expect(record.answers.features == ["Runbooks"])
            for (path, digest) in record.files {
                #expect(FileContents(bytes: Array(try #require(files[path]))).digest == digest, "\(path)")
            }
        }
    }

    @Test func `nothing outside the folder changes, and the template does not`() throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            try Data("keep".utf8).write(to: URL(filePath: "\(folder)/sentinel"))
            let before = try snapshot(folder)
            _ = try template.makeService(in: folder)
            let after = try snapshot(folder).filter { !$0.key.hasPrefix("orders") }
            #expect(after == before)
        }
    }

    @Test func `a folder with something in it, a file, or one inside the template is refused, and nothing is written`()
        throws
    {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            try FileManager.default.createDirectory(atPath: "\(folder)/full", withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(filePath: "\(folder)/full/mine"))
            try link(template.root, at: "\(folder)/link")
            let before = try snapshot(folder)
            let tree = try TemplateTree.checkedOut(at: template.root)
            let spec = ServiceSpec(name: "Orders", features: [], strata: .vendored)
            for (place, reason) in [
                ("full", "is not empty (mine)"), ("full/mine", "is no folder"), ("template/new", "inside the template"),
                ("template", "inside the template"), ("link/new", "inside the template"),
                ("", "has the template inside"),
            ] {
                let path = place.isEmpty ? folder : "\(folder)/\(place)"
                let error = #expect(throws: ScaffoldRefusal.self) {
                    try NewService(spec, in: path, template: template.root, from: tree)
                }
                #expect(error?.description.contains(reason) == true, "\(place): \(error?.description ?? "")")
            }
            #expect(try snapshot(folder) == before)
        }
    }

    @Test func `a folder that cannot be made is refused, and those above it are not left behind`() throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let tree = try TemplateTree.checkedOut(at: template.root)
            let spec = ServiceSpec(name: "Orders", features: [], strata: .vendored)
            let place = "\(folder)/a/\(String(repeating: "x", count: 300))/b"
            let service = try NewService(spec, in: place, template: template.root, from: tree)
            #expect(throws: ScaffoldRefusal.self) { try service.write(secret: "x") }
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/a"))
        }
    }

    @Test(arguments: [false, true])
    func `a kill between any two changes leaves a folder that the next run writes wholly`(isLinked: Bool) throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let tree = try TemplateTree.checkedOut(at: template.root)
            let spec = ServiceSpec(
                name: "Orders", features: [], strata: isLinked ? .path(template.root) : .vendored)
            let usual = umask(0o022)
            defer { umask(usual) }
            func service(_ place: String) throws -> NewService {
                try NewService(spec, in: place, template: template.root, from: tree)
            }
            try service("\(folder)/whole").write(secret: "x")
            let whole = try snapshot("\(folder)/whole")
            #expect(whole[isLinked ? "Strata" : "Strata/Modules/Domain/Domain.swift"] != nil)

            var (repeated, finished) = (0, 0)
            for number in 0... {
                let place = "\(folder)/killed-\(number)"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                let faulty = try FaultyFileSystem(LocalFileSystem(root: place), .kill, at: number)
                try? service(place).write(secret: "x", to: faulty)
                guard faulty.isReached else { break }
                try expectSecretsAreSecret(below: place)
                // Only a service that is whole is in the way.
                let disk = try FaultyFileSystem(LocalFileSystem(root: place), .kill)
                if refusal({ try service(place).write(secret: "x", to: disk) }).contains("is not empty") {
                    finished += 1
                } else {
                    repeated += 1
                    #expect(
                        try FileManager.default.subpathsOfDirectory(atPath: place).allSatisfy {
                            !$0.contains(".scaffold")
                        })
                }
                #expect(try snapshot(place).filter { !$0.key.hasPrefix(".scaffold") } == whole, "change \(number)")
                try FileManager.default.removeItem(atPath: place)
            }
            #expect(repeated > 15 && finished > 1)
        }
    }

    @Test(arguments: [FaultyFileSystem.Fault.denied, .full])
    func `an error at any change leaves an empty folder`(fault: FaultyFileSystem.Fault) throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let tree = try TemplateTree.checkedOut(at: template.root)
            let spec = ServiceSpec(name: "Orders", features: [], strata: .path(template.root))
            var refused = 0
            for number in 0... {
                let place = "\(folder)/failed-\(number)"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                let faulty = try FaultyFileSystem(LocalFileSystem(root: place), fault, at: number)
                let service = try NewService(spec, in: place, template: template.root, from: tree)
                let message = refusal { try service.write(secret: "x", to: faulty) }
                guard faulty.isReached else { break }
                if message.isEmpty { continue }
                refused += 1
                #expect(message.contains("Nothing was changed."), "change \(number): \(message)")
                let left = try FileManager.default.subpathsOfDirectory(atPath: place)
                #expect(left.allSatisfy { $0.hasPrefix(".scaffold") }, "change \(number): \(left)")
            }
            #expect(refused > 20)
        }
    }

    /// Every file that holds the secret is its owner's alone.
    private func expectSecretsAreSecret(below place: String) throws {
        for (path, contents) in try snapshot(place) where contents.starts(with: Data("ORDERS_SIGN".utf8)) {
            let mode = try FileManager.default.attributesOfItem(atPath: "\(place)/\(path)")[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(path)")
        }
    }

    @Test(arguments: [
        ("demo", ["Attachments", "Journal", "Runbooks"]), ("none", []), ("Runbooks,Journal", ["Journal", "Runbooks"]),
    ])
    func `features are chosen by name`(choice: String, features: [String]) throws {
        #expect(try TemplateTree.checkedOut(at: repositoryRoot).chosen(choice) == features)
    }

    @Test(arguments: [
        ("Attachments", "--features Attachments,Journal"), ("Orders", "no feature"), ("", "no feature"),
        ("Journal,", "no feature"), ("journal", "no feature"),
    ])
    func `a choice that cannot be is refused with one that can`(choice: String, text: String) throws {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        let error = #expect(throws: ScaffoldRefusal.self) { try tree.chosen(choice) }
        #expect(error?.description.contains(text) == true)
    }

    @Test(arguments: ["Journal", "Runbooks", "Journal,Runbooks", "Attachments,Journal"])
    func `the commands of a feature call nothing of one that was not chosen`(choice: String) throws {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        let chosen = try tree.chosen(choice)
        let files = try ServiceRenderer().render(
            ServiceSpec(name: "Orders", features: chosen, strata: .path(repositoryRoot)), from: tree)
        func commands(_ feature: String) -> String { "Apps/CLI/Features/CommandSet+\(feature).swift" }
        for absent in try tree.features().map(\.name) where !chosen.contains(absent) {
            let text = try #require(tree.files[commands(absent)]?.text)
            let names = text.matches(of: /^(?: {4})?(?:static )?(?:func|var|let) (\w+)/.anchorsMatchLineEndings()).map(
                \.1)
            #expect(!names.isEmpty)
            for feature in chosen {
                let text = try #require(files[commands(feature)]?.text)
                for name in names where text.contains("\(name)(") || text.contains("\(name).") {
                    Issue.record("\(commands(feature)) calls '\(name)' of \(absent)")
                }
            }
        }
    }

    @Test(arguments: [("demo", 201), ("none", 60)])
    func `a service of this repository has only what is its owner's, under its own name`(choice: String, limit: Int)
        throws
    {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        let spec = ServiceSpec(
            name: "OrderDesk", features: try tree.chosen(choice), strata: .path(repositoryRoot), port: 9091)
        let files = try ServiceRenderer().render(spec, from: tree)
        #expect(files.count <= limit)
        let lines = files.values.reduce(0) {
            $0 + ($1.text ?? "").filter { $0 == "\n" }.count
        }
        #expect(choice == "demo" || lines <= 2500, "\(lines) lines")
        for (path, contents) in files {
            let text = (contents.text ?? "").lowercased()
            for word in ["shiftlog", "scaffold:only ", "specimen"] {
                #expect(!text.contains(word) && !path.lowercased().contains(word), "\(path): \(word)")
            }
            guard choice == "none", path != ".template.json" else { continue }
            for word in ["journal", "runbook", "attachment"] { #expect(!text.contains(word), "\(path): \(word)") }
        }
        let manifest = try #require(files["Package.swift"]?.text)
        for gap in ["\n\n\n", "\n\n}", "\n\n    }"] {
            #expect(!manifest.contains(gap), "the formatter would remove a line")
        }
        for word in [
            "isStrata", "isOfAService", "systemLibrary(", "THREAD_SANITIZER",
        ] {
            #expect(!manifest.contains(word), "'\(word)' is about modules of Strata")
        }
        #expect(
            manifest.contains("[\"-package-name\", \"service\"]"), "Accounts has no other names than those of a package"
        )
        #expect(manifest.matches(of: /packageAccess: false/).count == 3)
        #expect(files["Package.swift"]?.text?.contains("Weather") == false, "a service begins without a client")
        #expect(!files.keys.contains { $0.contains("/Clients/") })
        #expect(
            files["Apps/CLI/Main.swift"]?.text?.contains("abstract: \"Works with or without the network.\"") == true)
        #expect(files["Docs/Packaging/server.env"]?.text?.contains("ORDER_DESK_HTTP_PORT=9091") == true)
        let backend = files.filter { $0.key.hasPrefix("Apps/Backend/") && $0.key.hasSuffix(".swift") }
        let backendLines = backend.values.reduce(0) { $0 + ($1.text ?? "").split(separator: "\n").count }
        #expect(backendLines < 150, "StrataServerProgram has what no owner edits")
        #expect(backend.values.contains { $0.text?.contains("port: 9091,") == true })
        #expect(!files.keys.contains { $0.hasPrefix("Tests/Apps/Backend/Commands/") })
        for app in ["CLI", "Backend"] {
            #expect(
                files["Apps/\(app)/Version.swift"]?.text?.contains("\"0.1.0\"") == true,
                "a service counts its own versions")
        }
    }

    @Test func `pages of a service link to files that it has`() throws {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        let files = try ServiceRenderer().render(
            ServiceSpec(name: "Orders", features: [], strata: .vendored, extras: Extra.allCases), from: tree)
        for (path, contents) in files where path.hasSuffix(".md") && !path.hasPrefix("Strata/") {
            for link in (contents.text ?? "").matches(of: /\]\(([^)#:]+)[^):]*\)/).map({ String($0.1) }) {
                let page = URL(filePath: "/" + path).deletingLastPathComponent()
                let target = page.appending(path: link).standardized.path.dropFirst()
                #expect(files.keys.contains { $0 == target || $0.hasPrefix("\(target)/") }, "\(path): \(link)")
            }
        }
    }

    /// With a service of each form: linked, fetched, copied.
    private static let forms: [(features: String, strata: StrataOrigin, extras: [Extra])] = [
        ("none", .path(repositoryRoot), []), ("none", .vendored, Extra.allCases),
        ("demo", .path(repositoryRoot), Extra.allCases), ("Runbooks,Journal", .path(repositoryRoot), []),
    ]

    @Test(arguments: forms.indices)
    func `scripts, files, folders and tests that a service names are there`(form: Int) throws {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        let spec = ServiceSpec(
            name: "Orders", features: try tree.chosen(Self.forms[form].features), strata: Self.forms[form].strata,
            extras: Self.forms[form].extras)
        let files = try ServiceRenderer().render(spec, from: tree)
        let tests = Set(
            files.keys.filter { $0.hasPrefix("Tests/") }.compactMap { $0.split(separator: "/").dropFirst(2).first }
                .map { "\($0)Tests" } + ["OrdersTests", "TasksTests", "WeatherTests"])
        var named = 0
        for (path, contents) in files where !path.hasPrefix("Strata/") && path != TemplateRecord.path {
            let text = contents.text ?? ""
            for match in text.matches(of: /(?:^|[^\w\/.$~}-])((?:Scripts|Docs|Tests|Modules|Apps|\.ci)\/[\w.\/+-]+)/) {
                let place = String(match.1).trimmingCharacters(in: CharacterSet(charactersIn: "./"))
                named += 1
                let isThere = files.keys.contains { $0 == place || $0.hasPrefix("\(place)/") || $0 == ".\(place)" }
                #expect(isThere || Self.made.contains(place), "\(path) names \(place)")
            }
            for match in text.matches(of: /--filter (\w+Tests)\b|STRATA_TESTS=(\w+)/) {
                let name = String(match.1 ?? match.2 ?? "")
                #expect(tests.contains(name), "\(path) names \(name)")
            }
            let checks = text.matches(of: /Scripts\/check [a-z]+`/)
            #expect(checks.isEmpty, "\(path) names a check that Scripts/check of a service does not have")
        }
        #expect(named > 40)
    }

    /// What a service gets later: its features, its clients, and the recorded interface.
    private static let made: Set<String> = [
        "Modules/Clients", "Modules/Features", "Tests/Recorded", "Tests/Recorded/openapi.json",
    ]

    @Test(arguments: forms.indices)
    func `a feature and a client can be written in a service of each form`(form: Int) throws {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        let spec = ServiceSpec(
            name: "Orders", features: try tree.chosen(Self.forms[form].features), strata: Self.forms[form].strata,
            extras: Self.forms[form].extras)
        let files = try ServiceRenderer().render(spec, from: tree)
        var (own, copy): ([RelativePath: String], [RelativePath: String]) = ([:], [:])
        for (path, contents) in files {
            if path.hasPrefix("Strata/") {
                copy[try RelativePath(String(path.dropFirst(7)))] = contents.text ?? ""
            } else {
                own[try RelativePath(path)] = contents.text ?? ""
            }
        }
        let strata: any FileSystem =
            copy.isEmpty ? try LocalFileSystem(root: repositoryRoot) : MemoryFileSystem(copy)
        let service = MemoryFileSystem(own)
        let tool = ScaffoldTool(service, strata: SourceTree(strata), formatter: AsItIs())
        let report = try tool.add(
            AddFeature.Request(name: "Depot", fields: "title:string(1..80)", policy: .offline), isDry: false)
        #expect(report.changes.count == 10)
        _ = try tool.addField("note:text?", to: "Depot", isDry: false)
        _ = try tool.remove("Depot", isForced: false, isDry: false)

        // Strata's example is not in the service, so its name is free.
        let before = service.snapshot
        let client = AddClient.Request(name: "Weather", baseURL: "https://api.example.com", auth: .basic)
        #expect(try tool.addClient(client, isDry: false).changes.count == 7)
        #expect(service.files["Modules/Clients/Weather/WeatherClient.swift"]?.text?.contains("auth: .basic(") == true)
        _ = try tool.removeClient("Weather", isForced: false, isDry: false)
        #expect(service.snapshot == before)
    }

    @Test func `only a linked service says that no other machine can build it`() throws {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        for strata in [
            StrataOrigin.path(repositoryRoot), .vendored,
            .url(try RepositoryURL("https://git.example.com/strata"), commit: "0a"),
        ] {
            let spec = ServiceSpec(name: "Orders", features: [], strata: strata)
            let files = try ServiceRenderer().render(spec, from: tree)
            for (path, words) in [
                ("README.md", "update-from-template --from https://"), (".ci/run", "update-from-template --from URL"),
            ] {
                let text = try #require(files[path]?.text)
                #expect(text.contains(words) == (strata == .path(repositoryRoot)), "\(path)")
            }
        }
    }

    @Test func `a service made from a URL has Strata from there, at the commit of the template`() throws {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        let url = try RepositoryURL("https://git.example.com/libraries/Clay.git")
        let spec = ServiceSpec(name: "Orders", features: [], strata: .url(url, commit: "0123abcd"))
        let files = try ServiceRenderer().render(spec, from: tree)

        let manifest = try #require(files["Package.swift"]?.text)
        let lines = [
            "    dependencies: [", "        .package(",
            "            url: \"https://git.example.com/libraries/Clay.git\",",
            "            revision: \"0123abcd\")", "    ] + libraries.map(\\.package),",
        ]
        #expect(manifest.contains(lines.joined(separator: "\n")))
        #expect(manifest.contains(".product(name: name, package: \"clay\")"))
        #expect(!manifest.contains("checkouts"), "what only Strata does when it is fetched")
        #expect(!files.keys.contains { $0.hasPrefix("Strata/") })
        let record = try TemplateRecord(try #require(files[".template.json"]))
        #expect(record.answers == spec)
    }

    @Test(arguments: [
        ("https://example.com/a/strata.git", "strata"), ("https://example.com/Strata/", "strata"),
        ("ssh://git@example.com:2222/strata", "strata"), ("git@example.com:team/Strata.git", "strata"),
        ("git@example.com:strata.git", "strata"), ("file:///srv/git/strata.git", "strata"),
    ])
    func `an address names the package as the package manager does`(text: String, identity: String) throws {
        #expect(RepositoryURL.isMeant(by: text))
        #expect(try RepositoryURL(text).identity == identity)
    }

    @Test(arguments: [
        ("https://example.com/a\"b", "characters"), ("https://example.com/a b", "characters"),
        ("https://example.com/\\(x)", "characters"), ("http://example.com/strata", "https, ssh or file"),
        ("ext::sh://x", "https, ssh or file"), ("https://me:hunter2@example.com/strata", "a user or a password"),
        ("ssh://me:hunter2@example.com/strata", "a user or a password"), ("file:///", "no repository"),
        ("https://example.com/..", "no repository"),
    ])
    func `an address that cannot stand in a manifest is refused, and no password is repeated`(
        text: String, reason: String
    ) {
        let error = #expect(throws: ScaffoldRefusal.self) { try RepositoryURL(text) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test(arguments: ["../strata", "/srv/strata", "strata", "./a@b:c", "/a@b:c"])
    func `a path is no address`(text: String) { #expect(!RepositoryURL.isMeant(by: text)) }
}
