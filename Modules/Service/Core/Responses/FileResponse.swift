public import FoundationEssentials

/// A successful response whose content is stored in a `BlobStore`.
public struct FileResponse: Sendable {
    /// Where the blob is.
    public var blobs: any BlobStore
    /// The id of the blob.
    public var id: String
    /// Bytes of the blob.
    public var size: Int
    /// SHA-256 of the content.
    public var digest: Data
    /// The file name in `Content-Disposition`.
    public var fileName: String
    /// `type/subtype`; anything else is sent as `application/octet-stream`.
    public var mediaType: String

    /// A response with the content of a blob, or with a range of it.
    public init(
        _ id: String, in blobs: any BlobStore, size: Int, digest: Data, fileName: String, mediaType: String
    ) {
        self.blobs = blobs
        self.id = id
        self.size = size
        self.digest = digest
        self.fileName = fileName
        self.mediaType = mediaType
    }
}
