/// Downloads content into files, in one run or several.
public protocol Downloader: Sendable {
    /// Downloads the response to `endpoint` to `request.path`. An incomplete file never appears there.
    ///
    /// An interrupted download leaves a partial file beside the destination, and the next one resumes it, if the server
    /// sends a validator. Without a validator the partial file is removed.
    ///
    /// - Throws: `.storage` when the file cannot be written; `.invalidResponse` for content that does not match its digest, its
    ///   announced range or the limit; otherwise as `APIClient`.
    func download<E: Endpoint>(
        _ endpoint: E, _ request: DownloadRequest, options: CallOptions
    ) async throws(NetworkError) -> DownloadedFile
}

/// The destination of a download and the conditions for its content.
public struct DownloadRequest: Sendable {
    /// Path of the file. An existing file is replaced. A symbolic link stays, and its target
    /// is replaced or created.
    public var path: String
    /// The digest of the content. Default: the digest that the server sends, if any.
    public var digest: ContentDigest?
    /// Bytes of the content at most. Default: as many as fit on the disk.
    public var limit: Int64?
    /// Receives how much has arrived. Default: `nil`, no reports.
    public var progress: TransferProgress?

    /// A download to a path; without a digest it is only compared with what the server says.
    public init(
        path: String, digest: ContentDigest? = nil, limit: Int64? = nil, progress: TransferProgress? = nil
    ) {
        self.path = path
        self.digest = digest
        self.limit = limit
        self.progress = progress
    }
}

/// The partial file of an interrupted download. The next run resumes it.
public struct DownloadBeginning: Sendable, Hashable {
    /// Beside the destination.
    public var path: String
    /// Bytes that are there already.
    public var bytes: Int64

    /// What an earlier attempt has left at `path`.
    public init(path: String, bytes: Int64) {
        self.path = path
        self.bytes = bytes
    }
}

/// A complete download.
public struct DownloadedFile: Sendable, Hashable {
    /// Where the file is.
    public var path: String
    /// Bytes of the file.
    public var bytes: Int64
    /// SHA-256 of the content.
    public var digest: ContentDigest
    /// Bytes of earlier runs.
    public var resumedFrom: Int64
    /// Whether the content was compared with a digest of the server or the caller.
    public var isVerified: Bool

    /// A file that is complete.
    public init(path: String, bytes: Int64, digest: ContentDigest, resumedFrom: Int64, isVerified: Bool) {
        self.path = path
        self.bytes = bytes
        self.digest = digest
        self.resumedFrom = resumedFrom
        self.isVerified = isVerified
    }
}
