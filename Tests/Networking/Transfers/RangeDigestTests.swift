import Crypto
import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// `Content-Digest` of a range speaks of its bytes, that of a whole answer of the whole.
struct RangeDigestTests {
    private let rig: DownloadRig
    private var rest: Data { Data(rig.origin.content.dropFirst(4000)) }

    init() throws { rig = try DownloadRig() }

    private func stated(_ digest: ContentDigest) -> @Sendable (inout ResponseHead) -> Void {
        { $0.headers["Content-Digest"] = digest.field }
    }

    private func interrupt() async throws {
        #expect(try await rig.failure(rig.origin.answer(cut: 4000)).text.contains("cut"))
        #expect(rig.directory.content("a.part")?.count == 4000)
    }

    @Test func `a range that is what it says is kept, by either algorithm`() async throws {
        let sha256 = try #require(ContentDigest(.sha256, Data(SHA256.hash(data: rest))))
        let sha512 = try #require(ContentDigest(.sha512, Data(SHA512.hash(data: rest))))
        for digest in [sha256, sha512] {
            try await interrupt()
            let (file, transport) = try await rig.download(rig.origin.answer(cut: nil, stated(digest)))
            #expect(file.resumedFrom == 4000)
            #expect(!file.isVerified, "one range proves nothing about the other bytes")
            #expect(transport.requests.count == 1)
            #expect(rig.directory.content("a") == rig.origin.content)
        }
    }

    @Test(arguments: [ContentDigest.Algorithm.sha256, .sha512])
    func `a range that is not what it says is dropped, and the whole asked for`(
        algorithm: ContentDigest.Algorithm
    ) async throws {
        let wrong = try #require(ContentDigest(algorithm, Data(count: algorithm.length)))
        try await interrupt()
        let (file, transport) = try await rig.download(
            rig.origin.answer(cut: nil, stated(wrong)), rig.origin.answer())
        #expect(transport.requests.map { $0.headers["Range"] } == ["bytes=4000-", nil])
        #expect(file.resumedFrom == 0)
        #expect(rig.directory.content("a") == rig.origin.content)
    }

    @Test func `the digest of the whole is not that of a range`() async throws {
        // What a server does that computes it once for the file: wrong for a range (RFC 9530, section 2), so it is told.
        try await interrupt()
        let (file, _) = try await rig.download(
            rig.origin.answer(cut: nil, stated(try rig.origin.sha256)), rig.origin.answer())
        #expect(file.resumedFrom == 0)
    }

    @Test func `an unknown or damaged digest of a range is none`() async throws {
        for field in ["md5=:AAAA:", "sha-256=:AAAA:", "sha-256", ""] {
            try await interrupt()
            let answer = rig.origin.answer(cut: nil) { $0.headers["Content-Digest"] = field }
            #expect(try await rig.download(answer).file.resumedFrom == 4000)
        }
    }

    @Test func `bytes are compared wherever they are cut`() throws {
        let digest = try #require(ContentDigest(.sha256, Data(SHA256.hash(data: rest))))
        var check = RangeCheck([
            "Content-Digest": "sha-512=:\(Data(SHA512.hash(data: rest)).base64EncodedString()):, \(digest.field)"
        ])
        for start in stride(from: 0, to: rest.count, by: 7) {
            #expect(check.mismatch?.contains("and should be sha-512=") == true)
            check.update(rest.dropFirst(start).prefix(7))
        }
        #expect(check.mismatch == nil)
    }
}
