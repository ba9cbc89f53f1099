/// Uploads files, in one run or several (draft-ietf-httpbis-resumable-upload).
public protocol ResumableUploader: Sendable {
    /// Sends the file as the content of `endpoint`, and decodes the response to the whole upload.
    ///
    /// An interrupted upload leaves a record on this machine, and the next call with the same endpoint, file and idempotency key
    /// resumes it. A file that has changed since is sent from its start.
    ///
    /// - Returns: `nil` when the server refuses the empty first request as one it does not know; `Uploader` is the way then.
    /// - Throws: `.storage` for a file that cannot be read or changes while it is sent, and when the record cannot be written;
    ///   `.invalidResponse` for a server that took the empty first request for a whole file;
    ///   otherwise as `APIClient`.
    func upload<E: Endpoint>(
        _ endpoint: E, _ request: UploadRequest, options: CallOptions
    ) async throws(NetworkError) -> UploadedFile<E.Response>?
}

/// The file of an upload, and how the server shall name it.
public struct UploadRequest: Sendable {
    /// Path of the file.
    public var path: String
    /// The name that is sent; without a folder.
    public var fileName: String
    /// The media type of the file.
    public var contentType: String
    /// The digest of the content, which the server compares with what has arrived. Default: none is sent, and the file of a
    /// later run is the same if its size and its time of change are.
    public var digest: ContentDigest?
    /// The caller finishes it when the call returns: another way to upload may follow.
    public var progress: TransferProgress?

    /// An upload that goes on where it was interrupted.
    public init(
        path: String, fileName: String, contentType: String = "application/octet-stream", digest: ContentDigest? = nil,
        progress: TransferProgress? = nil
    ) {
        self.path = path
        self.fileName = fileName
        self.contentType = contentType
        self.digest = digest
        self.progress = progress
    }
}

/// A complete upload.
public struct UploadedFile<Response: Sendable>: Sendable {
    /// The response to the last request.
    public var response: APIResponse<Response>
    /// Bytes of earlier runs, which were not sent again.
    public var resumedFrom: Int64

    /// An upload that is complete.
    public init(response: APIResponse<Response>, resumedFrom: Int64) {
        self.response = response
        self.resumedFrom = resumedFrom
    }
}
