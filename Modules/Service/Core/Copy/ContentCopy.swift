import NIOCore

/// Copies the contents that the rows of a feature refer to, between files and tables, under the same ids.
public struct ContentCopy: Sendable {
    private let source: any Store
    private let old: FeatureContents
    private let new: FeatureContents

    /// - Parameter source: Has the rows.
    public init(from old: FeatureContents, to new: FeatureContents, rowsIn source: any Store) {
        (self.old, self.new, self.source) = (old, new, source)
    }

    /// Contents that the target has with the same size and digest are not copied again, so an interrupted copy continues.
    ///
    /// - Parameter report: Receives the number of contents so far.
    /// - Throws: `BlobError` for a content that is missing or damaged in the source.
    public func run(_ report: (Int) -> Void = { _ in }) async throws {
        var (last, count) = ("", 0)
        while true {
            let page = try await source.read { [old, last] reader in try old.references(last, reader) }
            guard let end = page.last else { return }
            for content in page {
                try await copy(content)
                count += 1
            }
            last = end.id
            report(count)
        }
    }

    private func copy(_ content: StoredBlob) async throws {
        let (id, size, digest) = (content.id, content.size, content.digest)
        if (try? await new.blobs.open(id, size: size, digest: digest)) != nil { return }
        // What an interrupted copy left.
        try await new.blobs.remove(id)
        let reader = try await old.blobs.open(id, size: size, digest: digest)
        let (stored, _) = try await new.blobs.receive(as: id) { upload in
            var place = 0
            while place < size {
                let bytes = try await reader.read(at: place, count: min(BlobUpload.piece, size - place))
                try await upload.append(bytes)
                place += bytes.readableBytes
            }
        }
        guard stored == content else { throw CopyError.differentContent(id) }
    }
}
