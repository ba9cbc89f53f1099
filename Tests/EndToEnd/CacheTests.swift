import Foundation
import StrataTesting
import Testing

/// The HTTP cache of `shiftlog request`, and the commands about caches.
@Suite(.serialized) struct CacheTests {
    /// Says how often it was asked; `/stale` is stale at once, `/swr` too and may be served so.
    private func origin() async throws -> LoopbackServer {
        try await LoopbackServer.start(
            .init { request in
                let control =
                    switch request.target {
                    case "/stale": "max-age=0"
                    case "/swr": "max-age=0, stale-while-revalidate=60"
                    case "/none": "no-store"
                    default: "max-age=600"
                    }
                return [.response("200 OK", "answer \(request.number)", fields: ["Cache-Control: \(control)"])]
            })
    }

    @Test func `a fresh answer is served without a request, collected or streamed`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        let first = try await document(["GET", origin.url + "/x"], workspace)
        #expect(first["body"].text == "answer 1" && first["cache"]["fwd"].text == "uri-miss")
        #expect(first["cache"]["stored"].flag == true)
        let second = try await document(["GET", origin.url + "/x", "--trace"], workspace)
        #expect(second["body"].text == "answer 1" && second["cache"]["hit"].flag == true)
        #expect(second["cache"]["tier"].text == "disk" && (second["cache"]["ttl"].int ?? 0) > 500)
        #expect(second["cache"]["key"].text == first["cache"]["key"].text)
        let file = workspace.root + "/out"
        #expect(try await request(["GET", origin.url + "/x", "-o", file], workspace).status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "answer 1")
        // What was streamed is stored as well.
        #expect(try await request(["GET", origin.url + "/y", "-o", file], workspace).status == 0)
        #expect(try await request(["GET", origin.url + "/y"], workspace).out == "answer 2")
        #expect(origin.requests.count == 2)
        let told = try await request(["GET", origin.url + "/x", "--trace"], workspace)
        #expect(told.err.contains("cache Strata: hit in disk, fresh for"), "\(told.err)")
        withExtendedLifetime(workspace) {}
    }

    @Test func `no file of the cache contains the query of a URL`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        let words = ["GET", origin.url + "/x?access_token=CANARY&password=CANARY&sig=CANARY&day=CANARY"]
        #expect(try await request(words, workspace).out == "answer 1")
        #expect(try await request(words, workspace).out == "answer 1")
        #expect(try await explained(words[1], workspace).statuses == [200])
        let folder = workspace.root + "/home/cache"
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        #expect(files.contains { $0.hasSuffix(".sqlite") })
        for file in files {
            let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
            #expect(bytes.firstRange(of: Data("CANARY".utf8)) == nil, "\(file)")
        }
    }

    @Test func `'cache explain' describes a URL of another origin as a request treats it, logged in or not`()
        async throws
    {
        let (workspace, origin) = (try Workspace(), try await origin())
        let server = try await workspace.startServer()
        let url = origin.url + "/x"
        for isLoggedIn in [false, true] {
            if isLoggedIn { try await workspace.login(server: server) }
            #expect(try await explained(url, workspace, server)["action"].text == "ask")
            let words = ["request", "GET", url, "--json"]
            _ = try await workspace.shiftlog(words, server: server)
            let kept = try await explained(url, workspace, server)
            #expect(kept["action"].text == "hit" && kept.statuses == [200])
            let again = try await workspace.shiftlog(words, server: server).json()["cache"]
            #expect(again["hit"].flag == true && kept.isUnderKey(of: again))
        }
    }

    @Test func `each way to use the cache does what it says`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        let url = origin.url + "/x"
        #expect(try await request(["GET", url], workspace).out == "answer 1")
        #expect(try await request(["GET", url, "--cache", "no-store"], workspace).out == "answer 2")
        #expect(try await request(["GET", url], workspace).out == "answer 1")
        #expect(try await request(["GET", url, "--cache", "reload"], workspace).out == "answer 3")
        #expect(try await request(["GET", url], workspace).out == "answer 3")
        #expect(try await request(["GET", url, "--cache", "only-if-cached"], workspace).out == "answer 3")
        #expect(try await request(["GET", url, "--cache", "stale"], workspace).out == "answer 3")
        let none = try await request(["GET", origin.url + "/other", "--cache", "only-if-cached"], workspace)
        #expect(none.status == 69 && none.err.contains("Nothing that may be served is stored"), "\(none.err)")
        let write = try await request(["POST", url, "--cache", "only-if-cached"], workspace)
        #expect(write.status == 69 && write.err.contains("only-if-cached forbids"), "\(write.err)")
        #expect(origin.requests.count == 3)
    }

    @Test func `offline a stale answer is served with a note, and nothing is sent`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        #expect(try await request(["GET", origin.url + "/stale"], workspace).out == "answer 1")
        #expect(try await request(["GET", origin.url + "/stale", "--cache", "stale"], workspace).out == "answer 1")
        #expect(origin.requests.count == 1)
        let stale = try await request(["GET", origin.url + "/stale", "--offline"], workspace)
        #expect(stale.status == 0 && stale.out == "answer 1")
        #expect(stale.err.contains("stale since") && stale.err.contains("was not asked"), "\(stale.err)")
        let none = try await request(["GET", origin.url + "/x", "--offline", "--json"], workspace)
        #expect(none.status == 69)
        #expect(try none.json()["status"].int == 504)
        #expect(origin.requests.count == 1)
        // An origin that is gone is as good.
        await origin.stop()
        let away = try await request(["GET", origin.url + "/stale", "--retries", "0"], workspace)
        #expect(away.status == 0 && away.out == "answer 1")
        #expect(away.err.contains("cannot be reached"), "\(away.err)")
    }

    @Test func `a stale answer is validated before the program is over`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        #expect(try await request(["GET", origin.url + "/swr"], workspace).out == "answer 1")
        #expect(try await request(["GET", origin.url + "/swr"], workspace).out == "answer 1")
        #expect(origin.requests.count == 2)
        #expect(try await request(["GET", origin.url + "/swr"], workspace).out == "answer 2")
    }

    @Test func `stored responses are counted, explained and cleared`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        for path in ["/x", "/y", "/none"] { _ = try await request(["GET", origin.url + path], workspace) }
        let stats = try await cache(["stats", "--json"], workspace).json()
        // Two answers, and a note that those of /none are not ones to wait for.
        #expect(stats["entries"].int == 3 && stats["caches"].list.map { $0["name"].text } == ["values", "http"])
        #expect(stats["caches"][1]["entries"].int == 3)
        #expect(stats["caches"][1]["path"].text?.contains(workspace.root) == true)
        let kept = try await explained(origin.url + "/x", workspace)
        #expect(kept["action"].text == "hit" && kept.statuses == [200])
        let none = try await explained(origin.url + "/none", workspace)
        #expect(none.statuses.isEmpty)
        // What a miss is traced under is what it is explained under.
        let missed = try await document(["GET", origin.url + "/none", "--trace"], workspace)
        #expect(none.isUnderKey(of: missed["cache"]))
        #expect(try await cache(["clear"], workspace).out.contains("removed 3 entries"))
        #expect(try await explained(origin.url + "/x", workspace)["action"].text == "ask")
        #expect(try await cache(["explain", "x"], workspace).status == 64)
        #expect(origin.requests.count == 4)
    }

    @Test func `accounts never see each other's answers, and a logout leaves none`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        let server = try await workspace.startServer(users: ["ada", "bob"])
        let words = ["request", "GET", origin.url + "/x"]
        try await workspace.login(server: server)
        #expect(try await workspace.shiftlog(words, server: server).out == "answer 1")
        #expect(try await workspace.shiftlog(words, server: server).out == "answer 1")
        try await workspace.login(as: "bob", server: server)
        #expect(try await workspace.shiftlog(words + ["--offline"], server: server).status == 69)
        #expect(try await workspace.shiftlog(words, server: server).out == "answer 2")
        #expect(try await workspace.shiftlog(["logout"], server: server).status == 0)
        #expect(try await workspace.shiftlog(words + ["--offline"], server: server).status == 69)
        let files = FileManager.default.enumerator(atPath: workspace.root + "/home/cache")?.compactMap { $0 as? String }
        #expect(files?.isEmpty == false)
        for file in files ?? [] {
            let bytes = FileManager.default.contents(atPath: workspace.root + "/home/cache/" + file) ?? Data()
            #expect(bytes.firstRange(of: Data("answer 1".utf8)) == nil, "\(file)")
        }
        withExtendedLifetime(server) {}
    }

    @Test func `a write in either way makes both caches forget`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        let text = try workspace.write("Reboot it.", to: "body.md")
        let made = try await workspace.shiftlog(
            ["runbooks", "create", "--title", "Disk full", "--file", text, "--json"], server: server)
        let path = "/v1/runbooks/" + (try #require(try made.json()["id"].text))

        func read() async throws {
            #expect(
                try await workspace.shiftlog(["runbooks", "show", String(path.dropFirst(13))], server: server).status
                    == 0)
            #expect(try await workspace.shiftlog(["request", "GET", path], server: server).status == 0)
            let kept = try await explained(path, workspace, server)
            #expect(kept.statuses.count == 1 && kept["value"]["tags"].list.map(\.text) == ["runbooks"])
        }

        #expect(try await explained("/v1/runbooks", workspace, server)["value"].exists == false)
        #expect(try await workspace.shiftlog(["runbooks", "list"], server: server).status == 0)
        #expect(try await explained("/v1/runbooks?limit=51", workspace, server)["value"]["tags"][0].text == "runbooks")
        try await read()
        let edited = try await workspace.shiftlog(
            ["runbooks", "edit", String(path.dropFirst(13)), "--title", "Disk still full", "--file", text],
            server: server)
        #expect(edited.status == 0, "\(edited.err)")
        #expect(try await explained(path, workspace, server).statuses.isEmpty)

        try await read()
        let removed = try await workspace.shiftlog(
            ["request", "DELETE", path, "-H", #"If-Match: "2""#], server: server)
        #expect(removed.status == 0, "\(removed.err)")
        let gone = try await explained(path, workspace, server)
        #expect(gone.statuses.isEmpty && !gone["value"].exists)
    }

    @Test func `two programs at once share one cache and leave it whole`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        let programs = try (0..<2).map { number in
            try workspace.start(
                "shiftlog",
                ["request", "GET", origin.url + "/x\(number)", "--repeat", "40", "--concurrency", "4", "--json"])
        }
        for program in programs { #expect(try await program.outcome().status == 0) }
        let stats = try await cache(["stats", "--json"], workspace).json()
        #expect(stats["caches"][1]["entries"].int == 2)
        #expect(origin.requests.count == 2)
    }

    @Test func `a cache that cannot be written fails no command, and is reported with -v only`() async throws {
        let (workspace, origin) = (try Workspace(), try await origin())
        try FileManager.default.createDirectory(
            atPath: workspace.root + "/home", withIntermediateDirectories: true)
        _ = try workspace.write("in the way", to: "home/cache")
        for number in 1...2 {
            let result = try await request(["GET", origin.url + "/x"], workspace)
            #expect(result.status == 0 && result.out == "answer \(number)" && result.err.isEmpty, "\(result.err)")
        }
        let told = try await request(["GET", origin.url + "/x", "-v"], workspace)
        #expect(told.status == 0 && told.err.contains("cache"), "\(told.err)")
    }

    @Test func `a cache that is removed under a running program does not stop it`() async throws {
        let workspace = try Workspace()
        let directory = workspace.root + "/home/cache"
        let origin = try await LoopbackServer.start(
            .init { request in
                if request.number == 20 { try? FileManager.default.removeItem(atPath: directory) }
                let fields = ["Cache-Control: max-age=0", "ETag: \"a\""]
                return [.response("200 OK", "answer \(request.number)", fields: fields)]
            })
        let result = try await request(["GET", origin.url + "/x", "--repeat", "40"], workspace)
        #expect(result.status == 0 && result.out.contains("ok        40"), "\(result.out) \(result.err)")
        #expect(origin.requests.count == 40)
        #expect(try await request(["GET", origin.url + "/x"], workspace).status == 0)
    }

    // MARK: - Running

    private func request(_ arguments: [String], _ workspace: Workspace) async throws -> Outcome {
        try await workspace.start("shiftlog", ["request"] + arguments).outcome()
    }

    private func cache(_ arguments: [String], _ workspace: Workspace) async throws -> Outcome {
        try await workspace.start("shiftlog", ["cache"] + arguments).outcome()
    }

    private func document(_ arguments: [String], _ workspace: Workspace) async throws -> JSON {
        try await request(arguments + ["--json"], workspace).json()
    }

    private func explained(_ url: String, _ workspace: Workspace, _ server: Server? = nil) async throws -> JSON {
        try await workspace.start("shiftlog", ["cache", "explain", url, "--json"], server: server).outcome().json()
    }
}

extension JSON {
    /// The statuses of the explained responses.
    fileprivate var statuses: [Int?] { self["responses"].list.map { $0["status"].int } }

    /// Whether this explanation is about the key of a cache report.
    fileprivate func isUnderKey(of report: JSON) -> Bool {
        report["key"].text.map { self["key"].text?.hasPrefix($0) == true } ?? false
    }
}
