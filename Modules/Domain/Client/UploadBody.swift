public import FoundationEssentials

/// The body of a request: bytes in memory, or a stream that is opened when it is sent.
public struct UploadBody: Sendable {
    /// The bytes of a body, piece by piece.
    public typealias Stream = any AsyncSequence<Data, any Error> & Sendable

    private enum Content: Sendable {
        case bytes(Data)
        case stream(open: @Sendable () async throws -> Stream)
    }

    private let content: Content
    /// The value of `Content-Type` unless the call has another; `nil` sends none.
    public let contentType: String?
    /// Bytes; `nil` when unknown.
    public let length: Int?
    /// Whether `open` may be called for every attempt and yields the same bytes each time.
    public let isReplayable: Bool

    /// A body in memory; `contentType` is its media type.
    public static func bytes(_ bytes: Data, contentType: String? = nil) -> UploadBody {
        UploadBody(content: .bytes(bytes), contentType: contentType, length: bytes.count, isReplayable: true)
    }

    /// - Parameters:
    ///   - length: Bytes; `nil` sends the body in chunks.
    ///   - isReplayable: Whether `open` yields the same bytes again; a file does, a socket does not.
    ///   - open: Called once for each attempt.
    public static func stream(
        length: Int?, isReplayable: Bool, contentType: String? = nil,
        open: @escaping @Sendable () async throws -> Stream
    ) -> UploadBody {
        UploadBody(
            content: .stream(open: open), contentType: contentType, length: length, isReplayable: isReplayable)
    }

    /// The bytes of a body that is in memory.
    public var bytes: Data? { if case .bytes(let bytes) = content { bytes } else { nil } }

    /// The body from its first byte.
    public func open() async throws -> Stream {
        switch content {
        case .bytes(let bytes):
            AsyncThrowingStream<Data, any Error> { continuation in
                if !bytes.isEmpty { continuation.yield(bytes) }
                continuation.finish()
            }
        case .stream(let open): try await open()
        }
    }
}
