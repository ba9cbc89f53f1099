/// Brings content into files, in any number of runs.
public protocol Downloader: Sendable {
    /// Downloads what `endpoint` answers with and puts it at `request.path`, whole or not at all.
    ///
    /// An interrupted download leaves its beginning beside the destination and goes on from there, if the server names a
    /// version of the content; else nothing is left.
    ///
    /// - Throws: `.storage` when the disk cannot take it and keep a reserve free, before the first byte where the server
    ///   announces the length, `.invalidResponse` for content that does not match its digest, its
    ///   announced range or the limit, else as `APIClient`.
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
    /// Bytes the content may have. Default: as many as the disk has room for.
    public var limit: Int64?
    public var progress: TransferProgress?

    public init(
        path: String, digest: ContentDigest? = nil, limit: Int64? = nil, progress: TransferProgress? = nil
    ) {
        self.path = path
        self.digest = digest
        self.limit = limit
        self.progress = progress
    }
}

/// The beginning of a file that has not arrived whole, from which the next run goes on.
public struct DownloadBeginning: Sendable, Hashable {
    /// Beside the destination.
    public var path: String
    public var bytes: Int64

    public init(path: String, bytes: Int64) {
        self.path = path
        self.bytes = bytes
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
