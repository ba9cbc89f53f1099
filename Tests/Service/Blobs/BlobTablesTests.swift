import Foundation
import NIOCore
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// Contents in the database.
@Suite struct BlobTablesTests {
    private func withTables(
        _ place: BlobPlace, _ body: (BlobFixture, any Store) async throws -> Void
    ) async throws {
        try await BlobFixture.with(place) { fixture in try await body(fixture, try #require(fixture.store)) }
    }

    @Test(arguments: BlobPlace.tables)
    func `no transaction is open between two pieces of an upload or a download`(_ place: BlobPlace) async throws {
        try await withTables(place) { fixture, store in
            // A write waits for the end of any other one.
            let (blob, _) = try await fixture.blobs.receive { upload in
                for _ in 0..<3 {
                    try await upload.append(ByteBuffer(bytes: sampleContent(300_000)))
                    _ = try await fixture.store(Data("other".utf8))
                }
            }
            let reader = try await fixture.blobs.open(blob.id, size: blob.size, digest: blob.digest)
            for offset in [0, 300_000, 600_000] {
                _ = try await reader.read(at: offset, count: 1)
                try await store.write { transaction in
                    try transaction.execute("DELETE FROM blob_piece WHERE blob_id <> \(blob.id)")
                }
            }
        }
    }

    @Test(arguments: BlobPlace.tables)
    func `a read returns one piece at most`(_ place: BlobPlace) async throws {
        try await withTables(place) { fixture, _ in
            let content = sampleContent(3 * BlobUpload.piece)
            let blob = try await fixture.store(content)
            let reader = try await fixture.blobs.open(blob.id, size: blob.size, digest: blob.digest)
            #expect(try await reader.read(at: 0, count: blob.size).readableBytes == BlobUpload.piece)
            #expect(try await reader.read(at: BlobUpload.piece + 5, count: .max).readableBytes == BlobUpload.piece - 5)
            for offset in [-1, blob.size, .max] {
                await #expect(throws: BlobError.self) { _ = try await reader.read(at: offset, count: 1) }
            }
        }
    }

    @Test(
        arguments: BlobPlace.tables,
        [
            "UPDATE blob_piece SET bytes = (SELECT bytes FROM blob_piece WHERE number = 2) WHERE number = 1",
            "UPDATE blob_piece SET number = 3 - number WHERE number > 0 AND number < 3",
            "DELETE FROM blob_piece WHERE number = 1",
        ])
    func `a damaged, swapped or missing piece is never sent`(_ place: BlobPlace, _ damage: String) async throws {
        try await withTables(place) { fixture, store in
            let blob = try await fixture.store(sampleContent(4 * BlobUpload.piece))
            let reader = try await fixture.blobs.open(blob.id, size: blob.size, digest: blob.digest)
            try await store.write { transaction in
                if damage.contains("3 - number") {
                    // Through a free place, because both engines check the key at each row.
                    try transaction.execute("UPDATE blob_piece SET number = 9 WHERE number = 1")
                    try transaction.execute("UPDATE blob_piece SET number = 1 WHERE number = 2")
                    try transaction.execute("UPDATE blob_piece SET number = 2 WHERE number = 9")
                } else {
                    try transaction.execute(Statement(stringLiteral: damage))
                }
            }
            _ = try await reader.read(at: 0, count: 1)
            await #expect(throws: BlobError.self) { _ = try await reader.read(at: BlobUpload.piece, count: 1) }
            if damage.hasPrefix("DELETE") {
                await #expect(throws: BlobError.damaged(blob.id)) { _ = try await fixture.read(blob) }
            }
        }
    }

    @Test(arguments: BlobPlace.tables)
    func `a content of one replica is read and removed at another`(_ place: BlobPlace) async throws {
        try await withTemporaryDirectory { directory in
            let engine = try #require(place.engine)
            let stores = [
                try await engine.open("\(directory)/data.db", isShared: true),
                try await engine.open("\(directory)/data.db", isShared: true),
            ]
            let replicas = stores.map { BlobTables(in: $0) }
            try await stores[0].migrate(replicas[0].migrations)
            let content = sampleContent(600_000)
            let (blob, _) = try await replicas[0].receive { try await $0.append(ByteBuffer(bytes: content)) }
            let reader = try await replicas[1].open(blob.id, size: blob.size, digest: blob.digest)
            let first = try await reader.read(at: 0, count: blob.size)
            #expect(Data(first.readableBytesView) == content.prefix(BlobUpload.piece))
            try await replicas[1].remove(blob.id)
            await #expect(throws: BlobError.self) {
                _ = try await replicas[0].open(blob.id, size: blob.size, digest: blob.digest)
            }
            for store in stores { try await StoreEngine.close(store) }
        }
    }

    @Test(arguments: BlobPlace.tables)
    func `an upload that a sweep removed cannot be completed`(_ place: BlobPlace) async throws {
        try await BlobFixture.with(place) { fixture in
            await #expect(throws: BlobError.self) {
                try await fixture.blobs.receive { upload in
                    try await upload.append(ByteBuffer(bytes: sampleContent(300_000)))
                    _ = try await fixture.blobs.sweep(olderThan: Date(timeIntervalSinceNow: 60)) { _ in [] }
                }
            }
            let stored = try await fixture.stored()
            #expect(stored == 0)
        }
    }
}
