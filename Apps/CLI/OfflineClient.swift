import FoundationEssentials
import StrataDomain

/// The API client of `--offline`: reaches nothing, and says why.
struct OfflineClient: APIClient {
    private var refusal: NetworkError { NetworkError(.offline("--offline forbids to use the network")) }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> { throw refusal }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive: @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result { throw refusal }
}
