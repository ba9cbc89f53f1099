/// A successful response too long for memory. Its chunks are made as fast as the reader takes them.
struct StreamResponse: Sendable {
    var mediaType: String
    var first: StreamChunk
}

/// A part of a response, with a closure that makes the next one.
struct StreamChunk: Sendable {
    var bytes: [UInt8]
    /// Makes the next chunk; `nil` at the end. An error closes the connection, so the reader sees that the response is
    /// incomplete.
    var next: @Sendable () async throws -> StreamChunk?
}
