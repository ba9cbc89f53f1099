import Foundation
import StrataSystem
import StrataTesting
import Testing

@Suite("Private directory", .serialized) struct PrivateDirectoryTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: [0o000, 0o777] as [mode_t])
    func `missing parents are created for the owner only, with any umask`(mask: mode_t) throws {
        try withUmask(mask) { try PrivateDirectory(directory.file("a/b/c")).create() }
        for name in ["a", "a/b", "a/b/c"] {
            #expect(try Stat(path: directory.file(name), following: false).permissionBits == 0o700)
        }
    }

    @Test func `an existing directory is unchanged`() throws {
        let path = directory.file("open")
        #expect(mkdir(path, 0o755) == 0 && chmod(path, 0o755) == 0)
        try PrivateDirectory(path).prepare()
        #expect(try Stat(path: path, following: false).permissionBits == 0o755)
    }

    @Test(arguments: [0o775, 0o757, 0o777] as [mode_t])
    func `a directory that others may write to is refused with the next step`(mode: mode_t) throws {
        let path = directory.file("open")
        #expect(mkdir(path, 0o700) == 0 && chmod(path, mode) == 0)
        let error = #expect(throws: PrivateDirectoryError.self) { try PrivateDirectory(path).prepare() }
        #expect(error == .writable(path, mode: mode))
        #expect(error?.description.contains("chmod 700 \(path)") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give directories away"))
    func `a directory of another user is refused`() throws {
        let path = directory.file("other")
        #expect(mkdir(path, 0o700) == 0 && chown(path, 65_534, 65_534) == 0)
        #expect(throws: PrivateDirectoryError.foreign(path, owner: 65_534)) { try PrivateDirectory(path).prepare() }
    }

    @Test func `a private file and its directories are created once, for the owner only`() throws {
        let path = directory.file("a/b/file")
        #expect(try PrivateFile.create(path))
        #expect(try Stat(path: path, following: false).permissionBits == 0o600)
        #expect(chmod(path, 0o644) == 0)
        #expect(try !PrivateFile.create(path))
        #expect(try Stat(path: path, following: false).permissionBits == 0o600)
        #expect(try Stat(path: directory.file("a"), following: false).permissionBits == 0o700)
    }

    @Test func `a directory at the path of a private file is unchanged`() throws {
        #expect(mkdir(directory.file("open"), 0o755) == 0 && chmod(directory.file("open"), 0o755) == 0)
        #expect(try !PrivateFile.create(directory.file("open")))
        #expect(try Stat(path: directory.file("open"), following: false).permissionBits == 0o755)
    }

    @Test func `a file at the path of the directory, or above it, is refused`() throws {
        let path = directory.file("file")
        try Data().write(to: URL(filePath: path))
        #expect(throws: PrivateDirectoryError.notDirectory(path)) { try PrivateDirectory(path).prepare() }
        let below = directory.file("file/below")
        #expect(throws: PrivateDirectoryError.unusable(below, Errno(rawValue: ENOTDIR))) {
            try PrivateDirectory(below).prepare()
        }
    }

    @Test func `processes that create one directory at the same time all succeed`() async throws {
        let path = directory.file("a/b/c/d/e")
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try await runBlocking { try PrivateDirectory(path).create() } } }
            try await group.waitForAll()
        }
        #expect(try Stat(path: path, following: false).isDirectory)
    }

    @Test(arguments: [("/a/b", "/a", "b"), ("/a", "/", "a"), ("b", ".", "b"), ("a/b", "a", "b")])
    func `a path has a directory and a file name`(path: String, directory: String, name: String) {
        #expect(path.directoryPath == directory)
        #expect(path.fileName == name)
    }
}
