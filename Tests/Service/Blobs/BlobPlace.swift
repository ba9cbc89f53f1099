import Foundation
import NIOCore
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// An implementation of `BlobStore`: a directory, or the tables of an engine.
struct BlobPlace: Sendable, CustomTestStringConvertible {
    let name: String
    let engine: StoreEngine?

    var testDescription: String { name }

    static let directory = BlobPlace(name: "directory", engine: nil)
    static let tables = StoreEngine.all.map { BlobPlace(name: "tables in \($0)", engine: $0) }
    static let all = [directory] + tables
}

/// A place without contents.
struct BlobFixture: Sendable {
    let blobs: any BlobStore
    /// The database of tables.
    let store: (any Store)?
    private let path: String

    /// Runs `body` with a new place.
    static func with(
        _ place: BlobPlace, transfers: Int = 256, _ body: (BlobFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/files"
            guard let engine = place.engine else {
                let blobs = BlobDirectory(path: path, transfers: transfers)
                try await blobs.prepare()
                return try await body(BlobFixture(blobs: blobs, store: nil, path: path))
            }
            let store = try await engine.open("\(directory)/data.db", isShared: true)
            let blobs = BlobTables(in: store, transfers: transfers)
            try await store.migrate(blobs.migrations)
            try await body(BlobFixture(blobs: blobs, store: store, path: path))
            try await StoreEngine.close(store)
        }
    }

    /// What is stored, complete or not: files, or rows of both tables.
    func stored() async throws -> Int {
        if let store { return try await store.count("blob") + store.count("blob_piece") }
        return try FileManager.default.subpathsOfDirectory(atPath: path).count - 1
    }

    /// Stores a content.
    func store(_ content: Data) async throws -> StoredBlob {
        try await blobs.receive { upload in try await upload.append(.init(bytes: content)) }.0
    }

    /// The bytes of a range; by default of the whole content.
    func read(_ blob: StoredBlob, _ range: Range<Int>? = nil) async throws -> Data {
        let range = range ?? 0..<blob.size
        let reader = try await blobs.open(blob.id, size: blob.size, digest: blob.digest)
        var content = Data()
        while content.count < range.count {
            let rest = range.count - content.count
            let bytes = try await reader.read(at: range.lowerBound + content.count, count: rest)
            #expect((1...rest).contains(bytes.readableBytes))
            content += bytes.readableBytesView
        }
        return content
    }
}

/// A content whose pieces differ.
func sampleContent(_ size: Int) -> Data {
    let words = (0..<size / 8 + 1).map { UInt64($0 + size) &* 0x9E37_79B9_7F4A_7C15 }
    return words.withUnsafeBytes { Data($0.prefix(size)) }
}
