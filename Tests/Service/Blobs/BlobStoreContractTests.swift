import Crypto
import Foundation
import NIOCore
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

/// The contract of every implementation of `BlobStore`.
@Suite struct BlobStoreContractTests {
    private struct Stop: Error {}

    @Test(arguments: BlobPlace.all)
    func `a content is read as it was written, whole and in ranges`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            let piece = BlobUpload.piece
            for size in [0, 1, piece - 1, piece, piece + 1, 3 * piece + 7] {
                let content = sampleContent(size)
                let blob = try await fixture.store(content)
                #expect(blob.size == size && blob.digest == Data(SHA256.hash(data: content)))
                #expect(try await fixture.read(blob) == content)
                for start in [1, piece - 1, piece, piece + 1, 2 * piece] where start < size {
                    for end in [start + 1, piece + 2, size] where start < end && end <= size {
                        #expect(try await fixture.read(blob, start..<end) == content[start..<end])
                    }
                }
            }
        }
    }

    @Test(arguments: BlobPlace.all)
    func `two contents that are received at the same time do not mix`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            let (first, second) = (sampleContent(600_000), sampleContent(599_999))
            let (outer, inner) = try await fixture.blobs.receive { upload in
                try await upload.append(ByteBuffer(bytes: first.prefix(300_000)))
                let (inner, _) = try await fixture.blobs.receive { upload in
                    try await upload.append(ByteBuffer(bytes: second))
                }
                try await upload.append(ByteBuffer(bytes: first.dropFirst(300_000)))
                return inner
            }
            #expect(try await fixture.read(outer) == first)
            #expect(try await fixture.read(inner) == second)
        }
    }

    @Test(arguments: BlobPlace.all)
    func `a content cannot be opened before it is complete`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            let id = UUID().text
            let content = sampleContent(300_000)
            let digest = Data(SHA256.hash(data: content))
            _ = try await fixture.blobs.receive(as: id) { upload in
                try await upload.append(ByteBuffer(bytes: content))
                await expectLost(id, fixture, size: content.count, digest: digest)
            }
            _ = try await fixture.blobs.open(id, size: content.count, digest: digest)
        }
    }

    @Test(arguments: BlobPlace.all)
    func `an upload that fails, is too large or is cancelled leaves nothing`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            await #expect(throws: Stop.self) {
                try await fixture.blobs.receive { upload in
                    try await upload.append(ByteBuffer(bytes: sampleContent(600_000)))
                    throw Stop()
                }
            }
            #expect(try await fixture.stored() == 0)
            do {
                _ = try await fixture.blobs.receive(limit: 599_999) { upload in
                    try await upload.append(ByteBuffer(bytes: sampleContent(500_000)))
                    try await upload.append(ByteBuffer(bytes: sampleContent(100_000)))
                }
                Issue.record("accepted")
            } catch let error as ServiceError { #expect(error.problem.status == 413) }
            #expect(try await fixture.stored() == 0)
            let upload = Task {
                _ = try await fixture.blobs.receive { upload in
                    try await upload.append(ByteBuffer(bytes: sampleContent(600_000)))
                    withUnsafeCurrentTask { $0?.cancel() }
                    try Task.checkCancellation()
                }
            }
            await #expect(throws: CancellationError.self) { try await upload.value }
            #expect(try await fixture.stored() == 0)
        }
    }

    @Test(arguments: BlobPlace.all)
    func `a removed content is gone, and another one stays`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            let content = sampleContent(70)
            // More pieces than one transaction removes.
            let (large, kept) = (try await fixture.store(Data(count: 18_000_000)), try await fixture.store(content))
            try await fixture.blobs.remove(large.id)
            await expectLost(large.id, fixture, size: large.size, digest: large.digest)
            #expect(try await fixture.read(kept) == content)
            try await fixture.blobs.remove(large.id)
            try await fixture.blobs.remove(kept.id)
            #expect(try await fixture.stored() == 0)
        }
    }

    @Test(arguments: BlobPlace.all)
    func `another size or digest is damage`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            let blob = try await fixture.store(sampleContent(300_000))
            for (size, digest) in [(blob.size + 1, blob.digest), (blob.size - 1, blob.digest), (0, blob.digest)]
                + [(blob.size, Data(count: 32)), (blob.size, Data())]
            {
                await #expect(throws: BlobError.damaged(path(blob.id, fixture))) {
                    _ = try await fixture.blobs.open(blob.id, size: size, digest: digest)
                }
            }
        }
    }

    @Test(arguments: BlobPlace.all)
    func `a sweep removes old contents without a reference and interrupted uploads`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            let content = sampleContent(300_000)
            let kept = try await fixture.store(content)
            for _ in 0..<3 { _ = try await fixture.store(content) }
            // A crash of the process calls neither `keep` nor `discard`.
            let writer = try await fixture.blobs.writer(of: UUID().text)
            try await writer.append(ByteBuffer(bytes: sampleContent(BlobUpload.piece)))
            let before = try await fixture.stored()
            let young = try await fixture.blobs.sweep(olderThan: Date(timeIntervalSinceNow: -60)) { _ in [] }
            #expect(young == 0)
            #expect(try await fixture.stored() == before)
            let old = try await fixture.blobs.sweep(olderThan: Date(timeIntervalSinceNow: 60)) { ids in
                Set(ids).intersection([kept.id])
            }
            #expect(old == 4)
            #expect(try await fixture.read(kept) == content)
            try await fixture.blobs.remove(kept.id)
            #expect(try await fixture.stored() == 0)
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: BlobPlace.all)
    func `one transfer more than allowed is 503, and an ended one makes room`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place, transfers: 1) { fixture in
            let blob = try await fixture.store(Data("x".utf8))
            // The thread that wrote the last bytes may hold the writer, and so its permit, for a moment.
            var opened: (any BlobReader)?
            while opened == nil {
                do { opened = try await fixture.blobs.open(blob.id, size: 1, digest: blob.digest) } catch let error
                    as ServiceError
                {
                    try #require(error.problem.status == 503)
                    await Task.yield()
                }
            }
            let reader = try #require(opened)
            for attempt in 0..<2 {
                do {
                    if attempt == 0 {
                        _ = try await fixture.store(Data("y".utf8))
                    } else {
                        _ = try await fixture.blobs.open(blob.id, size: 1, digest: blob.digest)
                    }
                    Issue.record("accepted")
                } catch let error as ServiceError { #expect(error.problem.status == 503) }
            }
            withExtendedLifetime(reader) {}
        }
    }

    @Test(arguments: BlobPlace.all)
    func `an id that a content has is refused and its content stays`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            let content = sampleContent(10)
            let id = UUID().text
            let begun = try await fixture.blobs.writer(of: id)
            try await begun.append(ByteBuffer(bytes: sampleContent(BlobUpload.piece)))
            await expectRefused(id, fixture)
            await begun.discard()
            let (blob, _) = try await fixture.blobs.receive(as: id) { try await $0.append(ByteBuffer(bytes: content)) }
            await expectRefused(id, fixture)
            #expect(try await fixture.read(blob) == content)
        }
    }

    private func expectRefused(_ id: String, _ fixture: BlobFixture) async {
        await #expect(throws: (any Error).self) {
            _ = try await fixture.blobs.receive(as: id) {
                try await $0.append(ByteBuffer(bytes: sampleContent(300_000)))
            }
        }
    }

    private func path(_ id: String, _ fixture: BlobFixture) -> String {
        (fixture.blobs as? BlobDirectory).map { "\($0.path)/\(id)" } ?? id
    }

    private func expectLost(_ id: String, _ fixture: BlobFixture, size: Int, digest: Data) async {
        do {
            _ = try await fixture.blobs.open(id, size: size, digest: digest)
            Issue.record("opened")
        } catch {
            #expect((error as? BlobError)?.kind == .lost, "\(error)")
        }
    }
}
