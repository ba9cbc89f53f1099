/// What rows of a feature refer to outside of its tables.
public struct FeatureContents: Sendable {
    let blobs: any BlobStore
    let references: @Sendable (_ after: String, _ store: any StoreReader) throws -> [StoredBlob]

    /// - Parameter references: The contents that rows refer to, after an id, in the order of their ids; at most 500.
    public init(
        in blobs: any BlobStore,
        references: @escaping @Sendable (_ after: String, _ store: any StoreReader) throws -> [StoredBlob]
    ) {
        self.blobs = blobs
        self.references = references
    }

    /// The directory of the contents; `nil` unless they are files.
    public var directory: String? { (blobs as? BlobDirectory)?.path }
}
