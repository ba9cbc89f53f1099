import FoundationEssentials
import StrataDomain

/// The API client of `--offline`, for files too: reaches nothing, and says why.
struct OfflineClient: APIClient, Uploader, Downloader {
    private var refusal: NetworkError { NetworkError(.offline("--offline forbids to use the network")) }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> { throw refusal }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive: @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result { throw refusal }

    func upload<E: Endpoint>(
        _ endpoint: E, body: UploadBody, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> { throw refusal }

    func download<E: Endpoint>(
        _ endpoint: E, _ request: DownloadRequest, options: CallOptions
    ) async throws(NetworkError) -> DownloadedFile { throw refusal }
}
