import Foundation
import NIOCore
import StrataConcurrency
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// Contents that move between files and tables with the rest of a database.
@Suite struct ContentCopyTests {
    private struct Stop: Error {}

    private static let pairs = BlobPlace.all.flatMap { from in BlobPlace.all.map { Pair(from: from, to: $0) } }

    struct Pair: Sendable, CustomTestStringConvertible {
        let from: BlobPlace
        let to: BlobPlace
        var testDescription: String { "\(from.name) to \(to.name)" }
    }

    /// Pages of three references.
    private func contents(_ fixture: BlobFixture, _ blobs: [StoredBlob]) -> FeatureContents {
        let sorted = blobs.sorted { $0.id < $1.id }
        return FeatureContents(in: fixture.blobs) { last, _ in Array(sorted.filter { $0.id > last }.prefix(3)) }
    }

    /// - Parameter body: Receives source and target, and a store whose rows are not used.
    private func withPlaces(
        _ pair: Pair, _ body: (BlobFixture, BlobFixture, any Store) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let rows = try await StoreEngine.sqlite.open("\(directory)/data.db", isShared: true)
            try await BlobFixture.with(pair.from) { source in
                try await BlobFixture.with(pair.to) { target in try await body(source, target, rows) }
            }
            try await StoreEngine.close(rows)
        }
    }

    @Test(arguments: pairs)
    func `every content is in the target under its id, also after an interruption`(_ pair: Pair) async throws {
        try await withPlaces(pair) { source, target, rows in
            var blobs: [StoredBlob] = []
            for size in [0, 1, BlobUpload.piece, BlobUpload.piece + 5, 700_000, 3, 77] {
                blobs.append(try await source.store(sampleContent(size)))
            }
            let ids = blobs.map(\.id).sorted()
            let pages = Mutex(0)
            let old = contents(source, blobs)
            let stopping = FeatureContents(in: source.blobs) { last, reader in
                if pages.withLock({ pages in
                    pages += 1
                    return pages > 1
                }) {
                    throw Stop()
                }
                return try old.references(last, reader)
            }
            let new = contents(target, [])
            await #expect(throws: Stop.self) { try await ContentCopy(from: stopping, to: new, rowsIn: rows).run() }
            // A program that was killed leaves a part.
            let part = try await target.blobs.writer(of: ids[4])
            try await part.append(ByteBuffer(repeating: 7, count: BlobUpload.piece))

            var counts: [Int] = []
            try await ContentCopy(from: old, to: new, rowsIn: rows).run { counts.append($0) }
            #expect(counts == [3, 6, 7])
            for blob in blobs { #expect(try await target.read(blob) == sampleContent(blob.size)) }
            withExtendedLifetime(part) {}
        }
    }

    @Test(arguments: [BlobPlace.directory] + BlobPlace.tables.prefix(1))
    func `a content that the source does not have stops the copy`(_ place: BlobPlace) async throws {
        try await withPlaces(Pair(from: place, to: .directory)) { source, target, rows in
            let blob = try await source.store(sampleContent(9))
            try await source.blobs.remove(blob.id)
            await #expect(throws: BlobError.self) {
                try await ContentCopy(from: contents(source, [blob]), to: contents(target, []), rowsIn: rows).run()
            }
        }
    }
}
