public import FoundationEssentials

/// The body of a request: bytes in memory, or a stream that is opened when it is sent.
public struct UploadBody: Sendable {
    public typealias Stream = any AsyncSequence<Data, any Error> & Sendable

    enum Content: Sendable {
        case bytes(Data)
        case stream(open: @Sendable () async throws -> Stream)
    }

    let content: Content
    /// Bytes, where known.
    public let length: Int?
    /// Whether `open` may be called for every attempt and yields the same bytes each time.
    public let isReplayable: Bool

    public static func bytes(_ bytes: Data) -> UploadBody {
        UploadBody(content: .bytes(bytes), length: bytes.count, isReplayable: true)
    }

    /// - Parameters:
    ///   - length: Bytes; `nil` sends the body in chunks.
    ///   - isReplayable: Whether `open` yields the same bytes again; a file does, a socket does not.
    ///   - open: Called once for each attempt.
    public static func stream(
        length: Int?, isReplayable: Bool, open: @escaping @Sendable () async throws -> Stream
    ) -> UploadBody {
        UploadBody(content: .stream(open: open), length: length, isReplayable: isReplayable)
    }

    /// The bytes of a body that is in memory.
    public var bytes: Data? { if case .bytes(let bytes) = content { bytes } else { nil } }

    /// The body from its first byte.
    public func open() async throws -> Stream {
        switch content {
        case .bytes(let bytes): ResponseBody(bytes)
        case .stream(let open): try await open()
        }
    }
}
