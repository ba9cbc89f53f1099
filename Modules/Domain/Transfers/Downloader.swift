/// Brings content into files, in any number of runs.
public protocol Downloader: Sendable {
    /// Downloads what `endpoint` answers with and puts it at `request.path`, whole or not at all.
    ///
    /// An interrupted download leaves its beginning beside the destination and goes on from there.
    ///
    /// - Throws: `.storage` when the disk cannot take it, `.invalidResponse` for content that does not match its digest or
    ///   its announced range, else as `APIClient`.
    func download<E: Endpoint>(
        _ endpoint: E, _ request: DownloadRequest, options: CallOptions
    ) async throws(NetworkError) -> DownloadedFile
}

/// Where a download goes and what it must be.
public struct DownloadRequest: Sendable {
    /// Path of the file; replaced when it exists. A symbolic link is followed: the link stays, and the file it leads to
    /// is replaced or made.
    public var path: String
    /// What the content must hash to. Default: what the server states, if it states anything.
    public var digest: ContentDigest?
    public var progress: TransferProgress?

    public init(path: String, digest: ContentDigest? = nil, progress: TransferProgress? = nil) {
        self.path = path
        self.digest = digest
        self.progress = progress
    }
}

/// A file that arrived.
public struct DownloadedFile: Sendable, Hashable {
    public var path: String
    public var bytes: Int64
    /// SHA-256 of the content.
    public var digest: ContentDigest
    /// Bytes that were there from an earlier run.
    public var resumedFrom: Int64
    /// Whether a digest that somebody stated was compared.
    public var isVerified: Bool

    public init(path: String, bytes: Int64, digest: ContentDigest, resumedFrom: Int64, isVerified: Bool) {
        self.path = path
        self.bytes = bytes
        self.digest = digest
        self.resumedFrom = resumedFrom
        self.isVerified = isVerified
    }
}
