import HTTPTypes
import Hummingbird
import NIOCore
import StrataDomain

extension Response {
    /// Sends chunks as fast as the reader takes them. Caches must not store the response.
    init(_ stream: StreamResponse) {
        self.init(
            status: .ok, headers: [.contentType: stream.mediaType, .cacheControl: "no-store"],
            body: ResponseBody(stream.first))
    }
}

extension ResponseBody {
    private static let slice = 64 * 1024

    /// Makes each chunk while the one before is sent.
    fileprivate init(_ first: StreamChunk) {
        self.init { writer in
            var pacing = WritePacing()
            var current: StreamChunk? = first
            while let chunk = current {
                async let following = chunk.next()
                var bytes = ByteBuffer(bytes: chunk.bytes)
                while let slice = bytes.readSlice(length: min(Self.slice, max(1, bytes.readableBytes))) {
                    try await writer.write(slice)
                    try await pacing.wrote(slice.readableBytes)
                }
                current = try await following
            }
            try await writer.finish(nil)
        }
    }
}
