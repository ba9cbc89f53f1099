public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// A downloader that takes the streamed answer of a `MockAPIClient` to a real file, and keeps what an interrupted one
/// brought beside it.
public final class FileDownloader: Downloader {
    private let answers: MockAPIClient
    private let digest: @Sendable (Data) -> ContentDigest
    private let state = Mutex([DownloadRequest]())

    /// - Parameter digest: The SHA-256 of bytes.
    public init(answers: MockAPIClient, digest: @escaping @Sendable (Data) -> ContentDigest) {
        self.answers = answers
        self.digest = digest
    }

    /// What was asked for, in order.
    public var requests: [DownloadRequest] { state.withLock { $0 } }

    /// Where the beginning of an interrupted download waits.
    public static func partPath(of path: String) -> String { path + ".part" }

    public func download<E: Endpoint>(
        _ endpoint: E, _ request: DownloadRequest, options: CallOptions
    ) async throws(NetworkError) -> DownloadedFile {
        defer { request.progress?.finish() }
        state.withLock { $0.append(request) }
        let part = Self.partPath(of: request.path)
        let kept = FileManager.default.contents(atPath: part) ?? Data()
        var options = options
        if !kept.isEmpty { options.headers["Range"] = "bytes=\(kept.count)-" }
        let (bytes, resumedFrom) = try await answers.stream(endpoint, options: options) { head, body in
            var bytes = head.status == 206 ? kept : Data()
            let resumedFrom = Int64(bytes.count)
            for try await piece in body {
                bytes += piece
                if let limit = request.limit, bytes.count > limit {
                    try? FileManager.default.removeItem(atPath: part)
                    throw NetworkError(.invalidResponse("it has more than the \(limit) bytes that were allowed"))
                }
                request.progress?.report(TransferCount(bytes: Int64(bytes.count), resumedFrom: resumedFrom))
                try Self.write(bytes, to: part)
            }
            return (bytes, resumedFrom)
        }
        let found = digest(bytes)
        if let wanted = request.digest, wanted != found {
            try? FileManager.default.removeItem(atPath: part)
            throw NetworkError(.invalidResponse("the content has the digest \(found), not \(wanted)"))
        }
        try Self.write(bytes, to: request.path)
        try? FileManager.default.removeItem(atPath: part)
        return DownloadedFile(
            path: request.path, bytes: Int64(bytes.count), digest: found, resumedFrom: resumedFrom,
            isVerified: request.digest != nil)
    }

    private static func write(_ bytes: Data, to path: String) throws(NetworkError) {
        do { try bytes.write(to: URL(filePath: path), options: .atomic) } catch {
            throw NetworkError(.storage("'\(path)' cannot be written"))
        }
    }
}
