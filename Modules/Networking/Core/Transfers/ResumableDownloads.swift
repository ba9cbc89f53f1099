public import StrataDomain

/// Downloads into files, and resumes an interrupted transfer within a call and in the next run.
///
/// `DEST.part` holds the bytes and `DEST.part.json` their source and validator. The destination appears complete, verified and
/// durable, or not at all.
///
/// A download without a deadline may take 24 hours. The idle timeout of the transport ends a dead connection.
public struct ResumableDownloads: Downloader {
    /// Total time of a download that names none.
    public static let longestTime = Duration.seconds(24 * 3600)

    private let client: HTTPAPIClient
    private let resilience: Resilience
    var write: PartFile.Write = PartFile.append

    /// - Parameter resilience: Of the client: its clock and its retry policy, which also applies to broken transfers.
    public init(client: HTTPAPIClient, resilience: Resilience) {
        self.client = client
        self.resilience = resilience
    }

    public func download<E: Endpoint>(
        _ endpoint: E, _ request: DownloadRequest, options: CallOptions
    ) async throws(NetworkError) -> DownloadedFile {
        var raw = try client.raw(endpoint)
        let stated = try? endpoint.request().headers[FieldName.accept]
        raw.headers[FieldName.accept] = stated ?? "*/*"
        return try await download(raw, request, options: options.overlaying(endpoint.options))
    }

    /// The partial file that an earlier run left for `path`; `nil` without one.
    public func beginning(of path: String) async -> DownloadBeginning? { await PartFile.beginning(of: path) }

    /// Downloads the response to `request`, as `download(_:_:options:)` does.
    ///
    /// - Parameters:
    ///   - request: A GET without `Range`, `If-Range` and `Accept-Encoding`.
    ///   - events: Receives every decision.
    public func download(
        _ request: RawRequest, _ download: DownloadRequest, options: CallOptions = CallOptions(),
        events: @escaping EventSink = { _ in }
    ) async throws(NetworkError) -> DownloadedFile {
        defer { download.progress?.finish() }
        guard request.method == .get, request.body == nil else {
            throw NetworkError(.invalidRequest("a \(request.method.rawValue) cannot be resumed; download with GET"))
        }
        for name in ["Range", "If-Range", "Accept-Encoding"]
        where request.headers[name] != nil || options.headers[name] != nil {
            throw NetworkError(.invalidRequest("header '\(name)' is set by the download; leave it out"))
        }
        var request = request
        if request.headers[FieldName.accept] == nil { request.headers[FieldName.accept] = "*/*" }
        let part = try await PartFile.open(for: download.path, write: write)
        let run = DownloadRun(
            client: client, resilience: resilience, part: part, request: request, download: download, options: options,
            events: events)
        do {
            return try await run.file()
        } catch {
            await part.leave()
            throw error
        }
    }
}
