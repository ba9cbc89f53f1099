import FoundationEssentials
import StrataDomain

/// A body with its coding undone as it is read.
struct InflatedBody: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let base: ResponseBody
    let coding: ContentCoding
    let limit: Int

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), coding: coding, inflater: Inflater(coding, limit: limit))
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: ResponseBody.Iterator
        let coding: ContentCoding
        let inflater: Inflater

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            if case .unknown(let name) = coding {
                throw NetworkError(.invalidResponse("it is encoded as '\(name)', which was not asked for"))
            }
            while true {
                if let piece = try inflater.next() { return piece }
                guard let chunk = try await base.next(isolation: actor) else {
                    try inflater.finish()
                    return nil
                }
                inflater.feed(chunk)
            }
        }
    }
}
