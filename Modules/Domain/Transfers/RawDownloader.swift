/// Downloads the response of any URL into a file, in one run or several.
public protocol RawDownloader: Sendable {
    /// Downloads the response to `request` to `download.path`. An incomplete file never appears there.
    ///
    /// - Parameter events: Receives every decision of this call, in order.
    /// - Throws: As `Downloader.download`; a status of 400 or more is an error.
    func download(
        _ request: RawRequest, _ download: DownloadRequest, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> DownloadedFile

    /// The partial file that an interrupted download to `path` left; `nil` without one.
    func beginning(of path: String) async -> DownloadBeginning?
}
