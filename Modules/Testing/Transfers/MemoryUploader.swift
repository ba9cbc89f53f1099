public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// An uploader that reads the whole body into memory and lets a `MockAPIClient` answer.
public final class MemoryUploader: Uploader {
    /// One body as it arrived.
    public struct Upload: Sendable {
        /// What the upload belongs to.
        public let endpoint: any Endpoint
        /// The options of the call.
        public let options: CallOptions
        /// The media type that was stated.
        public let contentType: String?
        /// As announced; `nil` when it was not.
        public let length: Int?
        /// The bytes of the file.
        public let bytes: Data
    }

    private struct State {
        var uploads: [Upload] = []
        var limit: Int?
    }

    private let answers: MockAPIClient
    private let state = Mutex(State())

    /// An uploader whose responses are those of `answers`.
    public init(answers: MockAPIClient) { self.answers = answers }

    /// Every body so far, in order; of an interrupted one what arrived.
    public var uploads: [Upload] { state.withLock(\.uploads) }

    /// Loses the connection of the next upload once it has taken this many bytes.
    public func loseConnection(after bytes: Int) { state.withLock { $0.limit = bytes } }

    public func upload<E: Endpoint>(
        _ endpoint: E, body: UploadBody, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        let limit = state.withLock { state in
            defer { state.limit = nil }
            return state.limit
        }
        var bytes = Data()
        do {
            for try await piece in try await body.open() {
                bytes += piece
                if let limit, bytes.count >= limit { break }
            }
        } catch {
            throw NetworkError(thrown: error)
        }
        let isLost = limit.map { bytes.count >= $0 } ?? false
        let upload = Upload(
            endpoint: endpoint, options: options, contentType: body.contentType, length: body.length,
            bytes: isLost ? bytes.prefix(limit ?? 0) : bytes)
        state.withLock { $0.uploads.append(upload) }
        if isLost { throw NetworkError(.connectionLost("reset after \(upload.bytes.count) bytes")) }
        return try await answers.response(to: endpoint, options: options)
    }
}
