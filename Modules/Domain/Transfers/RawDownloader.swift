/// Brings what any URL answers with into files, in any number of runs.
public protocol RawDownloader: Sendable {
    /// Downloads the answer to `request` and puts it at `download.path`, whole or not at all.
    ///
    /// - Parameter events: Told every decision of this call, in order.
    /// - Throws: As `Downloader.download`; a status of 400 or more is an error.
    func download(
        _ request: RawRequest, _ download: DownloadRequest, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> DownloadedFile

    /// What an interrupted download left of the file at `path`; `nil` for nothing.
    func beginning(of path: String) async -> DownloadBeginning?
}
