public import StrataDomain

/// Downloads into files through a client, resuming what was interrupted: within a call, and from one run to the next.
///
/// `DEST.part` holds the bytes and `DEST.part.json` what they belong to. The destination appears whole, verified and
/// durable, or not at all. A reserve of the disk stays free: 5 % of it, and at most 100 MB.
///
/// A download has no use for the client's total time: without a deadline of its own it may take 24 hours, and the silence
/// the transport allows bounds a connection that died.
public struct ResumableDownloads: Downloader {
    /// Total time of a download that names none.
    public static let longestTime = Duration.seconds(24 * 3600)

    private let client: HTTPAPIClient
    private let resilience: Resilience
    var write: PartFile.Write = PartFile.append
    var measure: PartFile.Measure = DiskSpace.measure

    /// - Parameter resilience: The client's: its clock, and how often a broken transfer is taken up again.
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
        return try await download(raw, request, options: options)
    }

    /// What an earlier run left of the file at `path`, from which the next one goes on; `nil` for nothing.
    public func beginning(of path: String) async -> DownloadBeginning? { await PartFile.beginning(of: path) }

    /// Downloads what `request` answers with, as `download(_:_:options:)` does.
    ///
    /// - Parameters:
    ///   - request: A GET; range and content coding are the download's to choose.
    ///   - events: Told every decision.
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
        let part = try await PartFile.open(for: download.path, write: write, measure: measure)
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
