import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// The way of one response to its client.
final class ResponseOutput: Sendable {
    private let channel: any Channel
    private let isHead: Bool
    private let state = Mutex(false)
    /// Taken once, by the call that sets `state`.
    nonisolated(unsafe) private var writer: ResponseWriter?

    init(_ writer: consuming ResponseWriter, to request: Request, on channel: any Channel) {
        self.writer = consume writer
        self.channel = channel
        isHead = request.method == .head
    }

    /// Whether the final response has begun.
    var hasBegun: Bool { state.withLock(\.self) }

    /// Passes an interim response (1xx) on, unless the final response has begun.
    func interim(_ head: ResponseHead) {
        let interim = ClientConnection.InterimResponse(
            status: HTTPResponseStatus(statusCode: head.status), fields: head.headers.forwarded)
        channel.triggerUserOutboundEvent(interim, promise: nil)
    }

    /// Writes `response` as its body arrives.
    ///
    /// - Throws: What reading the body or writing to the connection throws. The connection must close then: the client has
    ///   half a response.
    // Concurrent, as Hummingbird's writer is.
    @concurrent func write(_ response: ClientResponse) async throws {
        let isFirst = state.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
        guard isFirst, let writer = writer.take() else { throw Self.isBegun }
        let status = response.head.status
        var fields = response.head.headers.forwarded
        let length = Self.length(fields)
        // SwiftNIO's encoder sends chunks then.
        if length == nil { fields["Content-Length"] = nil }
        var body = try await writer.writeHead(
            HTTPResponse(
                status: .init(code: status, reasonPhrase: response.head.reason ?? ""), headerFields: HTTPFields(fields))
        )
        if isHead || status == 204 || status == 304 {
            // The cache stores a response that was read to its end.
            for try await _ in response.body {}
        } else {
            try await write(response.body, length, to: &body)
        }
        try await body.finish(nil)
    }

    @concurrent private func write(
        _ body: StrataNetworking.ResponseBody, _ length: Int?, to writer: inout some ResponseBodyWriter
    ) async throws {
        var count = 0
        for try await chunk in body where !chunk.isEmpty {
            count += chunk.count
            if let length, count > length { break }
            try await writer.write(ByteBuffer(bytes: chunk))
        }
        guard length == nil || count == length else {
            throw NetworkError(.invalidResponse("its body has not the length that its head says"))
        }
    }

    /// - Returns: `nil` where there is no `Content-Length`, and where two differ.
    private static func length(_ fields: HeaderFields) -> Int? {
        let lengths = Set(fields.values("Content-Length"))
        guard lengths.count == 1, let length = lengths.first.flatMap({ Int($0) }), length >= 0 else { return nil }
        return length
    }

    private static var isBegun: NetworkError { NetworkError(.unexpected("a request was answered twice")) }
}

extension HTTPFields {
    /// - Parameter fields: In this order; a field whose name is no token is left out.
    init(_ fields: HeaderFields) {
        self.init()
        for field in fields {
            if let name = HTTPField.Name(field.name) { append(HTTPField(name: name, value: field.value)) }
        }
    }
}
