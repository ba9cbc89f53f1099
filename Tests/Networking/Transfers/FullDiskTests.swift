import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Downloads onto a file system of 64 KiB in memory, filled up.
struct FullDiskTests {
    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount a small file system"))
    func `a disk that fills up keeps the part, and the next run resumes it`()
        async throws
    {
        var rig = try DownloadRig()
        rig.origin.content = FileOrigin.bytes(50_000)
        let disk = try SmallFileSystem(kilobytes: 64, at: rig.directory.file("disk"))
        try rig.directory.write("disk/filler", Data(count: 32 * 1024))

        let failure = try await rig.failure(
            to: "disk/a", rig.origin.answer { $0.headers["Content-Length"] = nil })
        #expect(failure.text.contains("Free some space and start again: it goes on at byte"))
        #expect(!FileManager.default.fileExists(atPath: disk.path + "/a"))
        let kept = try #require(rig.directory.content("disk/a.part"))
        #expect(kept.count > 0 && kept == rig.origin.content.prefix(kept.count))

        try FileManager.default.removeItem(atPath: disk.path + "/filler")
        let (file, transport) = try await rig.download(to: "disk/a", digest: rig.origin.sha256, rig.origin.answer())
        #expect(file.resumedFrom == Int64(kept.count))
        #expect(transport.requests.first?.headers["Range"] == "bytes=\(kept.count)-")
        #expect(rig.directory.content("disk/a") == rig.origin.content)
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount a small file system"))
    func `a full disk leaves the old file as it was`() async throws {
        let rig = try DownloadRig()
        let disk = try SmallFileSystem(kilobytes: 64, at: rig.directory.file("disk"))
        try rig.directory.write("disk/a", Data("old".utf8))
        try disk.fill()
        let failure = try await rig.failure(to: "disk/a", rig.origin.answer())
        #expect(failure.text.contains("Free some space and start again"))
        #expect(rig.directory.content("disk/a") == Data("old".utf8))
        #expect(rig.directory.content("disk/a.part") == nil, "an empty part is of no use")
    }
}
