import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import StrataDomain

extension Response {
    /// Chunks as the reader takes them; nobody keeps a copy, since the next answer is another.
    init(streaming answer: StreamAnswer, for access: Access) {
        var headers: HTTPFields = [:]
        headers[.contentType] = answer.mediaType
        headers[.cacheControl] = "no-store"
        self.init(status: .ok, headers: headers, body: ResponseBody(answer.first))
    }
}

extension ResponseBody {
    /// Bytes that are handed to the event loops before they have had a turn; as for a file.
    private static let longestLead = 128 << 10
    private static let slice = 64 << 10

    /// Each chunk is made while the reader takes the one before.
    fileprivate init(_ first: StreamChunk) {
        self.init { writer in
            var unseen = 0
            var current: StreamChunk? = first
            while let chunk = current {
                async let following = chunk.next()
                var bytes = ByteBuffer(bytes: chunk.bytes)
                while let slice = bytes.readSlice(length: min(Self.slice, max(1, bytes.readableBytes))) {
                    try await writer.write(slice)
                    unseen += slice.readableBytes
                    guard unseen >= Self.longestLead else { continue }
                    unseen = 0
                    for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
                }
                current = try await following
            }
            try await writer.finish(nil)
        }
    }
}
