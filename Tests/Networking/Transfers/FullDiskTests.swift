import FoundationEssentials
import Glibc
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Downloads onto a file system of 64 KiB in memory, filled up.
struct FullDiskTests {
    /// Whether this process may mount; a test of the right itself, because root in a container may not.
    static let mayMount: Bool = {
        guard geteuid() == 0, let directory = try? TemporaryDirectory(),
            mount("tmpfs", directory.path, "tmpfs", 0, "size=64k") == 0
        else { return false }
        return umount2(directory.path, Int32(MNT_DETACH)) == 0
    }()

    @Test(.enabled(if: mayMount, "needs the right to mount a small file system"))
    func `a disk that is full in mid-transfer keeps what it took and its reserve, and the next run goes on`()
        async throws
    {
        var rig = try DownloadRig()
        rig.origin.content = FileOrigin.bytes(50_000)
        let disk = rig.directory.path + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=64k") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        try rig.directory.file("disk/filler", Data(count: 32 * 1024))

        let failure = try await rig.failure(
            to: "disk/a", rig.origin.answer { $0.headers["Content-Length"] = nil })
        #expect(failure.text.contains("bytes left that stay free for other programs. Free some space and start again."))
        #expect(!FileManager.default.fileExists(atPath: disk + "/a"))
        let kept = try #require(rig.directory.content("disk/a.part"))
        #expect(kept.count > 0 && kept == rig.origin.content.prefix(kept.count))

        try FileManager.default.removeItem(atPath: disk + "/filler")
        let (file, transport) = try await rig.download(to: "disk/a", digest: rig.origin.sha256, rig.origin.answer())
        #expect(file.resumedFrom == Int64(kept.count))
        #expect(transport.requests.first?.headers["Range"] == "bytes=\(kept.count)-")
        #expect(rig.directory.content("disk/a") == rig.origin.content)
    }

    @Test(.enabled(if: mayMount, "needs the right to mount a small file system"))
    func `a disk that is full from the start loses nothing of what was there`() async throws {
        let rig = try DownloadRig()
        let disk = rig.directory.path + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=64k") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        try rig.directory.file("disk/a", Data("old".utf8))
        // Fills what is left, in whole pages.
        _ = try? Data(count: 60 * 1024).write(to: URL(filePath: disk + "/filler"))
        let failure = try await rig.failure(to: "disk/a", rig.origin.answer())
        #expect(failure.text.contains("needs 10000 bytes and its disk has room for 0"))
        #expect(rig.directory.content("disk/a") == Data("old".utf8))
        #expect(rig.directory.content("disk/a.part") == nil, "an empty part is of no use")
    }
}
