import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import StrataDomain
import StrataNetworking

extension HTTPClientRequest {
    /// - Parameters:
    ///   - loop: Sends the body.
    ///   - idle: Told when the body goes out.
    ///   - proxy: Reads the request; its connection writes the whole URL.
    init(
        _ request: ClientRequest, on loop: any EventLoop, _ idle: IdleTimeout?, through proxy: UpstreamProxy? = nil
    ) async throws {
        self.init(url: proxy.map { "\($0.origin)\(request.url.target)" } ?? request.url.description)
        method = NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headers { headers.add(name: field.name, value: field.value) }
        if let proxy {
            headers.replaceOrAdd(name: "Host", value: request.url.origin.authority)
            if let authorization = proxy.authorization {
                headers.replaceOrAdd(name: UpstreamProxy.authorizationField, value: authorization.reveal())
            }
        }
        guard let upload = request.body, upload.bytes == nil else {
            if let bytes = request.body?.bytes { body = .bytes(ByteBuffer(bytes: bytes)) }
            // Nothing tells when the request is sent: the wait for a connection counts.
            idle?.sentAll()
            return
        }
        // The client does not ask for the chunks of an empty body.
        if upload.length == 0 { idle?.sentAll() }
        body = .stream(
            UploadBuffers(base: try await upload.open(), loop: loop, idle: idle),
            length: upload.length.map { .known(Int64($0)) } ?? .unknown)
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
    let idle: IdleTimeout?

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), loop: loop, idle: idle) }

    struct Iterator: AsyncIteratorProtocol {
        var base: any AsyncIteratorProtocol<Data, any Error>
        let loop: any EventLoop
        let idle: IdleTimeout?

        mutating func next() async throws -> ByteBuffer? {
            try await loop.submit {}.get()
            let chunk = try await base.next(isolation: #isolation)
            if chunk == nil { idle?.sentAll() } else { idle?.sentPart() }
            return chunk.map { ByteBuffer(bytes: $0) }
        }
    }
}
