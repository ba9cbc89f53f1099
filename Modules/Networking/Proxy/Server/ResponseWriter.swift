import FoundationEssentials
import NIOCore
import NIOHTTP1
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Writes one answer to a client, framed as its request allows.
final class ResponseWriter: Sendable {
    private enum Framing {
        case none
        case length(Int)
        case chunks, untilClose
    }

    private struct State {
        var hasHead = false
        var isReusable = false
    }

    private let channel: any Channel
    private let version: HTTPVersion
    private let isHead: Bool
    private let mayReuse: Bool
    private let state = Mutex(State())

    /// - Parameter isLast: The connection ends after this answer, whatever the client wishes.
    init(_ channel: any Channel, for request: HTTPRequestHead, isLast: Bool) {
        self.channel = channel
        version = HTTPVersion(major: 1, minor: request.version.minor == 0 ? 0 : 1)
        isHead = request.method == .HEAD
        mayReuse = request.isKeepAlive && !isLast && request.method != .CONNECT
    }

    /// Whether a final head has been written.
    var hasHead: Bool { state.withLock(\.hasHead) }
    /// Whether the answer is complete, and another may follow.
    var isReusable: Bool { state.withLock(\.isReusable) }

    /// Says that the body may come, to a client that waits for that.
    func proceed() { interim(ResponseHead(status: 100, reason: "Continue")) }

    /// Passes an interim response on; one that comes after the final head is late, and dropped.
    func interim(_ head: ResponseHead) {
        // RFC 9110, section 15.2: HTTP/1.0 knows none.
        guard version.minor > 0 else { return }
        state.withLock { state in
            guard !state.hasHead else { return }
            channel.writeAndFlush(HTTPServerResponsePart.head(line(head, head.headers.forwarded)), promise: nil)
        }
    }

    /// Writes `response` as its body arrives.
    ///
    /// - Throws: What reading the body or the connection met. A head that is out cannot be taken back: the connection has
    ///   to end then, so that the client notices.
    func write(_ response: ClientResponse) async throws {
        let framing = framing(of: response.head)
        var fields = response.head.headers.forwarded
        switch framing {
        case .none, .length: break
        case .chunks:
            fields["Content-Length"] = nil
            fields.add("Transfer-Encoding", "chunked")
        case .untilClose: fields["Content-Length"] = nil
        }
        let isReusable = if case .untilClose = framing { false } else { mayReuse }
        if !isReusable {
            fields.add("Connection", "close")
        } else if version.minor == 0 {
            fields.add("Connection", "keep-alive")
        }
        let head = line(response.head, fields)
        let written = state.withLock { state in
            state.hasHead = true
            return channel.writeAndFlush(HTTPServerResponsePart.head(head))
        }
        try await written.get()
        try await write(response.body, framing)
        try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
        state.withLock { $0.isReusable = isReusable }
    }

    private func write(_ body: ResponseBody, _ framing: Framing) async throws {
        var count = 0
        for try await chunk in body where !chunk.isEmpty {
            count += chunk.count
            switch framing {
            case .none: continue
            case .length(let length) where count > length: throw Self.wrongLength(length)
            default: break
            }
            try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: chunk)))).get()
        }
        if case .length(let length) = framing, count != length { throw Self.wrongLength(length) }
    }

    private static func wrongLength(_ length: Int) -> NetworkError {
        NetworkError(.invalidResponse("its body has not the \(length) bytes it was said to have"))
    }

    /// RFC 9112, section 6.3.
    private func framing(of head: ResponseHead) -> Framing {
        if isHead || head.status == 204 || head.status == 304 { return .none }
        let lengths = Set(head.headers.values("Content-Length"))
        if lengths.count == 1, let length = lengths.first.flatMap({ Int($0) }), length >= 0 { return .length(length) }
        return version.minor == 0 ? .untilClose : .chunks
    }

    private func line(_ head: ResponseHead, _ fields: HeaderFields) -> HTTPResponseHead {
        var headers = HTTPHeaders()
        for field in fields { headers.add(name: field.name, value: field.value) }
        let reason = head.reason ?? HTTPResponseStatus(statusCode: head.status).reasonPhrase
        return HTTPResponseHead(
            version: version, status: .custom(code: UInt(clamping: head.status), reasonPhrase: reason),
            headers: headers)
    }
}
