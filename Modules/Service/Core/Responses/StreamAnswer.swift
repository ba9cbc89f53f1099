/// A success that is too long to be held: its chunks are made as the reader takes them.
struct StreamAnswer: Sendable {
    var mediaType: String
    var first: StreamChunk
}

/// A piece of an answer, and how the one behind it is made.
struct StreamChunk: Sendable {
    var bytes: [UInt8]
    /// Makes the next chunk; `nil` at the end. When it throws the connection is closed, which tells the reader that the
    /// answer is not complete.
    var next: @Sendable () async throws -> StreamChunk?
}
