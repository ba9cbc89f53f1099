import FoundationEssentials
import StrataDomain
import Testing

struct UploadProgressTests {
    @Test func `bytes are counted as they are read, and a retry counts from zero`() async throws {
        let progress = TransferProgress()
        var counts = progress.updates.makeAsyncIterator()
        let body = UploadBody.bytes(Data(count: 100_000), contentType: "text/plain").counted(by: progress)
        #expect(body.length == 100_000)
        #expect(body.isReplayable)
        #expect(body.contentType == "text/plain")
        for _ in 1...2 {
            let stream = try await body.open()
            #expect(await counts.next() == TransferCount(bytes: 0, total: 100_000))
            var chunks = stream.makeAsyncIterator()
            #expect(try await chunks.next(isolation: nil)?.count == 65_536)
            #expect(await counts.next() == TransferCount(bytes: 65_536, total: 100_000))
            #expect(try await chunks.next(isolation: nil)?.count == 34_464)
            #expect(await counts.next() == TransferCount(bytes: 100_000, total: 100_000))
            #expect(try await chunks.next(isolation: nil) == nil)
        }
        progress.finish()
        #expect(await counts.next() == nil)
    }

    @Test func `counting does not change the content`() async throws {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        var taken = Data()
        for try await chunk in try await UploadBody.bytes(content).counted(by: TransferProgress()).open() {
            taken.append(chunk)
        }
        #expect(taken == content)
    }

    @Test func `counting keeps an unknown length and a body that cannot be replayed`() {
        let once = UploadBody.stream(length: nil, isReplayable: false) { try await UploadBody.bytes(Data()).open() }
        let counted = once.counted(by: TransferProgress())
        #expect(counted.length == nil)
        #expect(!counted.isReplayable)
    }
}
