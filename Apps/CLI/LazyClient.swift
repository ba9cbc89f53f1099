import FoundationEssentials
import StrataDomain
import StrataNetworking

/// An API client, also for transfers of files, that is made with its first request.
struct LazyClient: APIClient, Uploader, Downloader {
    private let sender: Lazy<Result<Sender, NetworkError>>

    init(_ make: @escaping @Sendable () throws(NetworkError) -> Sender) {
        sender = Lazy { Result(catching: make) }
    }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await sender.value.get().client.response(to: endpoint, options: options)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        try await sender.value.get().client.stream(endpoint, options: options, receive: receive)
    }

    func upload<E: Endpoint>(
        _ endpoint: E, body: UploadBody, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await sender.value.get().client.upload(endpoint, body: body, options: options)
    }

    func download<E: Endpoint>(
        _ endpoint: E, _ request: DownloadRequest, options: CallOptions
    ) async throws(NetworkError) -> DownloadedFile {
        try await sender.value.get().downloads.download(endpoint, request, options: options)
    }
}

/// A client and its downloads.
struct Sender: Sendable {
    let client: HTTPAPIClient
    let downloads: ResumableDownloads
}
