import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import StrataDomain
import StrataNetworking

extension HTTPClient.Request {
    /// - Parameter request: One that has its body at hand.
    init(_ request: ClientRequest) throws {
        try self.init(
            url: request.url.description, method: NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue),
            headers: HTTPHeaders(request.headers.map { ($0.name, $0.value) }),
            body: (request.body?.bytes).map { .byteBuffer(ByteBuffer(bytes: $0)) })
    }
}

extension HTTPClientRequest {
    /// - Parameters:
    ///   - loop: Sends the body.
    ///   - idle: Told when the body goes out.
    init(_ request: ClientRequest, on loop: any EventLoop, _ idle: IdleTimeout) async throws {
        self.init(url: request.url.description)
        method = NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headers { headers.add(name: field.name, value: field.value) }
        guard let body = request.body else { return }
        if let bytes = body.bytes {
            self.body = .bytes(ByteBuffer(bytes: bytes))
        } else {
            let length = body.length.map { Body.Length.known(Int64($0)) } ?? .unknown
            // The client does not ask for the chunks of an empty body.
            if body.length == 0 { idle.sentAll() }
            self.body = .stream(
                UploadBuffers(base: try await body.open(), loop: loop, idle: idle), length: length)
        }
    }
}

extension ClientResponse {
    /// - Parameter idle: Lasts while a chunk is waited for.
    init(_ response: HTTPClientResponse, _ idle: IdleTimeout) {
        self.init(
            ResponseHead(response.status, response.headers),
            body: ResponseBody(DownloadChunks(base: response.body, idle: idle)))
    }

    /// - Parameter exchange: Has the body.
    init(_ head: HTTPResponseHead, _ exchange: Exchange) {
        self.init(ResponseHead(head.status, head.headers), body: ResponseBody(ExchangeChunks(exchange: exchange)))
    }
}

extension ResponseHead {
    init(_ status: HTTPResponseStatus, _ headers: HTTPHeaders) {
        var fields = HeaderFields()
        fields.reserveCapacity(adding: headers.count)
        for (name, value) in headers { fields.add(name, value) }
        // The registered phrase: SwiftNIO's parser drops what the server wrote.
        let reason = status.reasonPhrase
        self.init(status: Int(status.code), reason: reason.isEmpty ? nil : reason, headers: fields)
    }
}

extension TimeAmount {
    /// - Parameter duration: At most an hour, which the options check.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

/// The chunks of a request body as the client's buffers.
///
/// The client takes a buffer without waiting for its event loop, on which a full connection is noticed. So the loop has its
/// turn between two buffers: on a busy machine a file would be read into memory meanwhile.
private struct UploadBuffers: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    let base: UploadBody.Stream
    let loop: any EventLoop
    let idle: IdleTimeout

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), loop: loop, idle: idle) }

    struct Iterator: AsyncIteratorProtocol {
        var base: any AsyncIteratorProtocol<Data, any Error>
        let loop: any EventLoop
        let idle: IdleTimeout

        mutating func next() async throws -> ByteBuffer? {
            try await loop.submit {}.get()
            let chunk = try await base.next(isolation: #isolation)
            if chunk == nil { idle.sentAll() } else { idle.sentPart() }
            return chunk.map { ByteBuffer(bytes: $0) }
        }
    }
}

/// The chunks of a response body, its failures named in our words.
private struct DownloadChunks: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let base: HTTPClientResponse.Body
    let idle: IdleTimeout

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), idle: idle) }

    struct Iterator: AsyncIteratorProtocol {
        var base: HTTPClientResponse.Body.AsyncIterator
        let idle: IdleTimeout

        // Concurrent, because the client's own iterator is.
        @concurrent mutating func next() async throws -> Data? {
            idle.restart()
            defer { idle.pause() }
            let buffer: ByteBuffer?
            do { buffer = try await base.next() } catch { throw NetworkError(transport: error) }
            // A cancelled task may see the end of the sequence; half a body must not pass for a whole one.
            if buffer == nil { try Task.checkCancellation() }
            return buffer.map { Data($0.readableBytesView) }
        }
    }
}

/// The chunks of a response body as its exchange hands them out.
private struct ExchangeChunks: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let exchange: Exchange

    func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange) }

    struct Iterator: AsyncIteratorProtocol {
        let exchange: Exchange

        mutating func next() async throws -> Data? { try await exchange.next() }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            try await exchange.next()
        }
    }
}
