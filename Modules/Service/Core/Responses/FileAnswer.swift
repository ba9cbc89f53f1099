public import FoundationEssentials

/// A success whose content is a file: which one, and what it is called.
public struct FileAnswer: Sendable {
    public var blobs: BlobDirectory
    public var id: String
    public var size: Int
    /// SHA-256 of the content: it names the one state the content can have.
    public var digest: Data
    /// The name a reader should save it under.
    public var fileName: String
    /// `type/subtype`; anything else is sent as `application/octet-stream`.
    public var mediaType: String

    public init(
        _ id: String, in blobs: BlobDirectory, size: Int, digest: Data, fileName: String, mediaType: String
    ) {
        self.blobs = blobs
        self.id = id
        self.size = size
        self.digest = digest
        self.fileName = fileName
        self.mediaType = mediaType
    }
}
