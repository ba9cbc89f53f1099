import Foundation
import StrataDomain
import StrataNetworking

/// Each signature below is a copy of the protocol's.

/// Answers each request with its path.
struct EchoTransport: Transport {
    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let head = ResponseHead(status: 200, headers: ["Content-Type": "application/json"])
        let user = request.headers["X-User"] ?? "nobody"
        try await receive(
            ClientResponse(
                head, body: ResponseBody(Data(#"{"path":"\#(request.url.path)","user":"\#(user)"}"#.utf8))))
    }
}

struct UserInterceptor: Interceptor {
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        var request = request
        request.headers["X-User"] = "ada"
        try await next(request, receive)
    }

    var keepsIdentity: Bool { false }
}

/// Sends all calls through another client.
actor ForwardingClient: APIClient, IdentifiedClient, RawClient, Uploader {
    private let base: HTTPAPIClient

    init(_ base: HTTPAPIClient) { self.base = base }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await base.response(to: endpoint, options: options)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions, receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result {
        try await base.stream(endpoint, options: options, receive: receive)
    }

    func collect(
        _ request: RawRequest, upTo limit: Int, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> RawResponse {
        try await base.collect(request, upTo: limit, options: options, events: events)
    }

    func stream<Result: Sendable>(
        _ request: RawRequest, options: CallOptions, events: @escaping EventSink,
        receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result {
        try await base.stream(request, options: options, events: events, receive: receive)
    }

    func principal() async throws(NetworkError) -> String { try await base.principal() }

    nonisolated func state(of url: String) -> OriginState? { base.state(of: url) }

    func upload<E: Endpoint>(
        _ endpoint: E, body: UploadBody, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await base.upload(endpoint, body: body, options: options)
    }
}

struct NoFiles: Downloader, RawDownloader, FileBodies, ResumableUploader {
    func upload<E: Endpoint>(
        _ endpoint: E, _ request: UploadRequest, options: CallOptions
    ) async throws(NetworkError) -> UploadedFile<E.Response>? { nil }

    func download<E: Endpoint>(
        _ endpoint: E, _ request: DownloadRequest, options: CallOptions
    ) async throws(NetworkError) -> DownloadedFile {
        throw NetworkError(.storage("no files here"))
    }

    func download(
        _ request: RawRequest, _ download: DownloadRequest, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> DownloadedFile {
        throw NetworkError(.storage("no files here"))
    }

    func beginning(of path: String) async -> DownloadBeginning? { nil }

    func body(ofFileAt path: String, contentType: String?) async throws(NetworkError) -> UploadBody {
        throw NetworkError(.storage("no files here"))
    }
}

struct AlwaysOnline: ConnectivityMonitor, WallClock {
    func states() -> ConnectivityStates { FixedConnectivity(.online).states() }
    var now: Date { Date(timeIntervalSince1970: 0) }
}
