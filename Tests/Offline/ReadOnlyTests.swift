import FoundationEssentials
import GRDB
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `A database that cannot be written` {
    let server = FakeSyncServer()

    @Test func `a database without write access is read with its log`() {
        #expect(ReadOnlyAccess(hasIndex: true, logBytes: 4096) == .sharedIndex)
        #expect(ReadOnlyAccess(hasIndex: true, logBytes: 0) == .sharedIndex)
        #expect(ReadOnlyAccess(hasIndex: false, logBytes: 4096) == .privateIndex)
        #expect(ReadOnlyAccess(hasIndex: false, logBytes: 0) == .immutable)
        #expect(ReadOnlyAccess(hasIndex: false, logBytes: nil) == .immutable)
        #expect(ReadOnlyAccess(hasIndex: true, logBytes: nil) == .immutable)
    }

    @Test(arguments: [DatabaseFault.failing("disk I/O error"), .notWritable("unable to open database file")])
    func `the error names the cause from the file system`(fault: DatabaseFault) {
        func text(_ obstacle: WriteObstacle?) -> String {
            fault.domainError(at: "/a/j.sqlite", obstacle: obstacle).description
        }
        #expect(text(.full).hasPrefix("No space left on the disk of '/a/j.sqlite'"))
        #expect(text(.readOnlyFileSystem).hasPrefix("The file system of '/a/j.sqlite' is mounted read-only"))
        #expect(text(.permission) == text(nil))
    }

    /// What a process that was killed leaves (log and index), one that ended (neither), and a copy without the index.
    enum Leftover: CaseIterable { case logAndIndex, nothing, logAlone }
    enum Place: CaseIterable { case full, readOnly }

    @Test(
        .enabled(if: getuid() == 0, "needs root to mount a small file system"),
        arguments: Leftover.allCases, Place.allCases)
    func `every read works, and every write is refused with the cause`(leftover: Leftover, place: Place) async throws {
        let mount = try SmallFileSystem(kilobytes: 4096)
        let path = "\(mount.path)/journal.sqlite"
        try await fill(path, leftover)
        switch place {
        case .full: try mount.fill()
        case .readOnly: try mount.makeReadOnly()
        }
        for _ in 0..<2 {
            let database = try await OfflineDatabase.open(at: path, collections: [NoteRow.collection], log: Home.quiet)
            let store = OfflineStore(database: database)
            #expect(try await store.read { try NoteRow.fetchCount($0) } == 200)
            #expect(try await store.entries().count == 200)
            #expect(try await database.syncStatus().pending == 200)
            // An index that is there takes no more space; what can be written then depends on the log.
            if leftover == .logAndIndex, place == .full, database.obstacle == nil { continue }
            let obstacle = try #require(database.obstacle)
            #expect(obstacle.description.contains(place == .full ? "No space left" : "mounted read-only"))
            #expect(await failure { try await store.create("notes", "new", ["text": "x"]) } == obstacle)
            let engine = SyncEngine(database: database, client: FakeLink(server), log: Home.quiet)
            #expect(await failure { try await engine.sync() } == obstacle)
            #expect(try await database.claim(for: OfflineAccount(id: "a", name: "ada")) == nil)
            try await database.close()
        }
        try mount.makeRoom()
        let database = try await OfflineDatabase.open(at: path, collections: [NoteRow.collection], log: Home.quiet)
        #expect(database.obstacle == nil)
        try await OfflineStore(database: database).create("notes", "new", ["text": "x"])
        #expect(try await database.read { try NoteRow.fetchCount($0) } == 201)
        try await database.close()
    }

    @Test(.enabled(if: getuid() == 0, "needs root to mount a small file system"))
    func `a disk without space for a new database is reported as full`() async throws {
        let mount = try SmallFileSystem(kilobytes: 4096)
        try mount.fill()
        let error = await failure {
            try await OfflineDatabase.open(
                at: "\(mount.path)/journal.sqlite", collections: [NoteRow.collection], log: Home.quiet)
        }
        #expect(error?.description.hasPrefix("No space left") == true, "\(String(describing: error))")
    }

    private func fill(_ path: String, _ leftover: Leftover) async throws {
        let database = try await OfflineDatabase.open(at: path, collections: [NoteRow.collection], log: Home.quiet)
        _ = try await OfflineStore(database: database).createAll(
            "notes", (0..<200).map { (id: "n\($0)", fields: ["text": .string("line \($0)")]) })
        // A copy of files under a living connection is what a killed process leaves.
        for suffix in ["", "-wal", "-shm"] where leftover != .nothing {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: "\(path).kept\(suffix)")
        }
        try await database.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try await database.close()
        guard leftover != .nothing else {
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            return
        }
        for suffix in ["", "-wal", "-shm"] {
            unlink(path + suffix)
            rename("\(path).kept\(suffix)", path + suffix)
        }
        if leftover == .logAlone { unlink("\(path)-shm") }
    }
}
