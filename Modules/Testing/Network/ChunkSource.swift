import FoundationEssentials
import StrataDomain
import StrataNetworking

/// A body whose chunks are made when they are asked for.
struct ChunkSource: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    /// - Parameter number: Of the chunk, from 0. `nil` ends the body.
    let chunk: @Sendable (_ number: Int) async throws -> Data?

    func makeAsyncIterator() -> Iterator { Iterator(chunk: chunk) }

    struct Iterator: AsyncIteratorProtocol {
        let chunk: @Sendable (Int) async throws -> Data?
        var number = 0

        mutating func next() async throws -> Data? {
            try Task.checkCancellation()
            defer { number += 1 }
            return try await chunk(number)
        }
    }
}

/// The first bytes of a body, and then a failure, which also comes when the body is shorter.
struct BrokenBody: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let base: ResponseBody
    let limit: Int
    let failure: NetworkError

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), left: limit, failure: failure)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: ResponseBody.Iterator
        var left: Int
        let failure: NetworkError

        mutating func next() async throws -> Data? {
            guard left > 0, let chunk = try await base.next() else { throw failure }
            let part = chunk.prefix(left)
            left -= part.count
            return part
        }
    }
}

extension ClientResponse {
    /// The same head, and a body that breaks off after `count` bytes.
    func broken(after count: Int, _ why: String) -> ClientResponse {
        let body = BrokenBody(base: body, limit: Swift.max(0, count), failure: NetworkError(.connectionLost(why)))
        return ClientResponse(head, body: ResponseBody(body))
    }
}
