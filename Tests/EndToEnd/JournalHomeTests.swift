import Foundation
import Glibc
import Testing

/// A journal and the place, the people and the server around it.
@Suite(.serialized) struct JournalHomeTests {
    private var journal: String { "home/state/journal/default.sqlite" }

    @Test func `another user takes over a journal that is synchronised completely`() async throws {
        let (workspace, server) = try await Workspace.loggedIn(users: ["ada", "bob"])
        #expect(try await workspace.shiftlog(["journal", "add", "of ada", "--host", "h"], server: server).status == 0)
        #expect(try await workspace.shiftlog(["sync"], server: server).status == 0)
        #expect(try await workspace.shiftlog(["logout"], server: server).status == 0)
        try await workspace.login(as: "bob", server: server)
        let first = try await workspace.shiftlog(["journal", "add", "of bob", "--host", "h"], server: server)
        #expect(first.status == 0, "\(first.err)")
        #expect(first.err.contains("'ada'") && first.err.contains("'bob'"))
        let synced = try await workspace.shiftlog(["sync"], server: server)
        #expect(synced.status == 0 && !synced.err.contains("ada"), "It is said once: \(synced.err)")
        let listed = try await workspace.shiftlog(["journal", "list", "--json", "--offline"], server: server)
        #expect(listed.out.contains("of ada") && listed.out.contains("of bob"))
    }

    @Test func `unsent entries are sent by their author only, and each command says whose they are and how many`()
        async throws
    {
        let (workspace, server) = try await Workspace.loggedIn(users: ["ada", "bob"])
        #expect(
            try await workspace.shiftlog(["journal", "add", "x", "--host", "h", "--offline"], server: server).status
                == 0)
        let logout = try await workspace.shiftlog(["logout"], server: server)
        #expect(logout.err.contains("1 write is not sent yet") && logout.err.contains("'ada'"), "\(logout.err)")
        let bob = try await workspace.startLogin(as: "bob", server: server).outcome()
        #expect(bob.status == 0)
        #expect(bob.err.contains("1 write is not sent yet") && bob.err.contains("--profile"), "\(bob.err)")
        for command in ["journal list", "journal add y", "sync", "outbox list", "status", "doctor"] {
            let refused = try await workspace.shiftlog(command.split(separator: " ").map(String.init), server: server)
            #expect(refused.status == 77, "\(command): \(refused.status) \(refused.err)")
            let text = refused.out + refused.err
            #expect(text.contains("'ada'") && text.contains("1 write that is not sent yet"), "\(command): \(text)")
        }
        let ada = try await workspace.startLogin(as: "ada", server: server).outcome()
        #expect(ada.err.contains("1 write is not sent yet"), "\(ada.err)")
        #expect(try await workspace.shiftlog(["sync"], server: server).out.contains("sent 1"))
        let end = try await workspace.shiftlog(["logout"], server: server)
        #expect(end.err.contains("all of them are sent"), "\(end.err)")
    }

    @Test(.enabled(if: getuid() == 0, "needs root to mount a small file system"))
    func `every reading command works on a full disk and in a read-only home`() async throws {
        let workspace = try Workspace()
        let server = try await workspace.startServer()
        let home = "\(workspace.root)/small"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try #require(mount("tmpfs", home, "tmpfs", 0, "size=3m") == 0)
        defer { umount2(home, Int32(MNT_DETACH)) }
        try await workspace.login(home: "small", server: server)
        let added = try await workspace.shiftlog(
            ["journal", "add", "written before", "--host", "h", "--offline"], home: "small", server: server)
        let id = try #require(added.out.split(separator: " ").first.map(String.init))

        func check(_ cause: String) async throws {
            let reads = [
                "journal list", "journal show \(id)", "report", "outbox list", "sync status", "status",
                "conflicts list",
            ]
            for command in reads {
                let read = try await workspace.shiftlog(
                    command.split(separator: " ").map(String.init), home: "small", server: server)
                #expect(read.status == 0, "\(command): \(read.err)")
                #expect(read.err.contains(cause), "\(command): \(read.err)")
            }
            let listed = try await workspace.shiftlog(["journal", "list"], home: "small", server: server)
            #expect(listed.out.contains("written before"))
            for command in ["journal add y --host h", "sync", "doctor"] {
                let refused = try await workspace.shiftlog(
                    command.split(separator: " ").map(String.init), home: "small", server: server)
                #expect(refused.status == 73, "\(command): \(refused.err)")
                #expect((refused.out + refused.err).contains(cause))
            }
        }

        try #require(FileManager.default.createFile(atPath: "\(home)/fill", contents: nil))
        let fill = try FileHandle(forWritingTo: URL(filePath: "\(home)/fill"))
        let chunk = [UInt8](repeating: 0, count: 4096)
        while write(fill.fileDescriptor, chunk, chunk.count) > 0 {}
        try fill.close()
        try await check("No space left on the disk")
        unlink("\(home)/fill")
        try #require(mount("tmpfs", home, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "size=3m") == 0)
        try await check("is mounted read-only")
    }

    @Test func `a damaged journal refuses writes, and doctor exits with 73`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        let lines = try workspace.write(
            (0..<2000).map { "line \($0) of a log" }.joined(separator: "\n"), to: "long.log")
        let imported = try await workspace.shiftlog(
            ["journal", "import", lines, "--host", "h", "--offline"], server: server)
        #expect(imported.status == 0)
        let path = "\(workspace.root)/\(journal)"
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let size = Int(try file.seekToEnd())
        for page in stride(from: size / 3 / 4096, to: size * 2 / 3 / 4096, by: 1) {
            try file.seek(toOffset: UInt64(page * 4096))
            file.write(Data(repeating: 0xFF, count: 200))
        }
        try file.close()
        let before = FileManager.default.contents(atPath: path)
        let examined = try await workspace.shiftlog(["doctor"], server: server)
        #expect(examined.status == 73)
        #expect(examined.out.contains("wrong journal") && examined.out.contains("damaged"))
        for command in ["journal add x --host h", "sync", "doctor"] {
            let refused = try await workspace.shiftlog(command.split(separator: " ").map(String.init), server: server)
            #expect(refused.status == 73, "\(command): \(refused.err)")
            #expect(
                (refused.out + refused.err).contains(".damaged-") && (refused.out + refused.err).contains(".recover"))
        }
        #expect(FileManager.default.contents(atPath: path) == before)

        try Data().write(to: URL(filePath: path))
        for command in ["journal list", "journal add x --host h", "sync", "doctor"] {
            let refused = try await workspace.shiftlog(command.split(separator: " ").map(String.init), server: server)
            #expect(refused.status == 73, "\(command): \(refused.err)")
        }
        try FileManager.default.moveItem(atPath: path, toPath: "\(workspace.root)/away")
        let anew = try await workspace.shiftlog(["journal", "list"], server: server)
        #expect(anew.status == 0 && anew.err.contains("was gone"), "\(anew.err)")
        #expect(try await workspace.shiftlog(["doctor"], server: server).status == 0)
    }

    @Test func `an entry whose confirmation cannot be written is stored, and the command succeeds`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        var variables = workspace.environment
        variables["SHIFTLOG_HOME"] = "\(workspace.root)/home"
        variables["SHIFTLOG_SERVER"] = server.url
        let added = try await Program(
            "/bin/sh", ["-c", "exec \(Workspace.products)/shiftlog journal add once --host h >/dev/full"],
            environment: variables, folder: workspace.root
        ).outcome()
        #expect(added.status == 0)
        #expect(added.err.contains("No space left on device") && added.err.contains("the change is made"))
        let listed = try await workspace.shiftlog(["journal", "list"], server: server)
        #expect(listed.out.components(separatedBy: "once").count == 2)
    }

    @Test func `an entry that waits says why and what to do`() async throws {
        let workspace = try Workspace()
        let server = try await workspace.startServer()
        func add(_ options: [String] = [], server: Server) async throws -> String {
            let added = try await workspace.shiftlog(["journal", "add", "x", "--host", "h"] + options, server: server)
            #expect(added.status == 0 && added.out.contains("queued"), "\(added.out) \(added.err)")
            return added.err
        }
        #expect(try await add(server: server).contains("it is sent after 'shiftlog login'"))
        try await workspace.login(server: server)
        #expect(try await add(["--offline"], server: server).contains("because of --offline"))
        #expect(
            try await add(["--server", "http://127.0.0.1:9"], server: server).contains("sync --server \(server.url)'"))
        let tokens = "\(workspace.root)/home/state/tokens/default/tokens.json"
        chmod(tokens, 0o644)
        #expect(try await add(server: server).contains("chmod 600"))
        chmod(tokens, 0o600)
        server.program.signal(SIGTERM)
        _ = try await server.program.outcome()
        #expect(try await add(server: server).contains("once the server answers"))
        let sync = try await workspace.shiftlog(["sync"], server: server)
        #expect(sync.status == 69 && sync.err.contains("5 writes wait to be sent; they are safe here"), "\(sync.err)")
        #expect(!sync.err.contains("POST"))
        #expect(try await workspace.shiftlog(["logout"], server: server).status == 0)
        #expect(try await add(server: server).contains("login --username ada'"))
        let out = try await workspace.shiftlog(["sync"], server: server)
        #expect(out.status == 77 && out.err.contains("shiftlog login"), "\(out.err)")
    }

    @Test func `a runbook that does not exist is refused, or warned of where it cannot be asked for`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        let made = try await workspace.shiftlog(
            ["runbooks", "create", "--title", "R", "--file", try workspace.write("text\n", to: "r.md"), "--json"],
            server: server)
        let id = try #require(try made.json()["id"].text)
        func add(_ options: String...) async throws -> Outcome {
            try await workspace.shiftlog(["journal", "add", "x", "--host", "h"] + options, server: server)
        }
        let known = try await add("--runbook", id)
        #expect(known.status == 0 && !known.err.contains("runbook"), "\(known.err)")
        let unknown = try await add("--runbook", "nope")
        #expect(unknown.status == 66 && unknown.err.contains("'nope'"), "\(unknown.err)")
        let unchecked = try await add("--runbook", "nope", "--offline")
        #expect(unchecked.status == 0 && unchecked.err.contains("could not be checked"), "\(unchecked.err)")
        let listed = try await workspace.shiftlog(["journal", "list", "--json"], server: server)
        #expect(listed.out.components(separatedBy: "\"occurred_at\"").count == 3)
    }
}
