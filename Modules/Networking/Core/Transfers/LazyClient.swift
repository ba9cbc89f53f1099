public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// An API client, also for transfers of files, that is made with its first request.
public struct LazyClient: APIClient, Uploader, ResumableUploader, Downloader {
    /// A client and its transfers.
    public struct Parts: Sendable {
        let client: HTTPAPIClient
        let downloads: ResumableDownloads
        let uploads: ResumableUploads?

        /// - Parameter uploads: `nil` resumes none.
        public init(client: HTTPAPIClient, downloads: ResumableDownloads, uploads: ResumableUploads? = nil) {
            self.client = client
            self.downloads = downloads
            self.uploads = uploads
        }
    }

    private let parts: Lazy<Result<Parts, NetworkError>>

    /// - Parameter make: Called once. Every request fails with its error.
    public init(_ make: @escaping @Sendable () throws(NetworkError) -> Parts) {
        parts = Lazy { Result(catching: make) }
    }

    public var context: ClientContext { (try? parts.value.get().client.context) ?? ClientContext() }

    public func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await parts.value.get().client.response(to: endpoint, options: options)
    }

    public func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        try await parts.value.get().client.stream(endpoint, options: options, receive: receive)
    }

    public func upload<E: Endpoint>(
        _ endpoint: E, body: UploadBody, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await parts.value.get().client.upload(endpoint, body: body, options: options)
    }

    public func upload<E: Endpoint>(
        _ endpoint: E, _ request: UploadRequest, options: CallOptions
    ) async throws(NetworkError) -> UploadedFile<E.Response>? {
        try await parts.value.get().uploads?.upload(endpoint, request, options: options)
    }

    public func download<E: Endpoint>(
        _ endpoint: E, _ request: DownloadRequest, options: CallOptions
    ) async throws(NetworkError) -> DownloadedFile {
        try await parts.value.get().downloads.download(endpoint, request, options: options)
    }
}
