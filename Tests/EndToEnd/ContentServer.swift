import StrataTesting

/// Serves one content, whole and by `Range` with `If-Range`, and counts the bytes it sent.
///
/// It can stop in the middle: at a position it sends nothing more until it is let go on or the client has left. And it can
/// keep to the pace of whoever saves what it sends.
final class ContentServer: Sendable {
    struct Delivery: Sendable {
        let status: Int
        let range: String?
        let ifRange: String?
        /// Position of the first byte.
        let start: Int
        /// Bytes of content that the socket took.
        let sent: Int
    }

    /// What is sent at most beyond the bytes that are in the file: the buffer that a kill may cost.
    struct Pace: Sendable {
        let file: String
        let window: Int
    }

    private struct State: Sendable {
        var holdsAt: Int?
        var isHeld = false
        var position = 0
        var deliveries: [Delivery] = []
    }

    private static let tag = "\"first\""
    private let state = Shared(State())
    private let server: LoopbackServer

    init(_ content: [UInt8], pace: Pace? = nil) async throws {
        server = try await LoopbackServer.start(
            .init(sending: { [state] request, connection in
                await Self.deliver(content, request, connection, state, pace)
            }))
    }

    var url: String { server.url + "/content" }
    /// Those that have ended.
    var deliveries: [Delivery] { state.value.deliveries }
    var isHeld: Bool { state.value.isHeld }
    /// Where the newest delivery is; 0 until something was sent since `hold(at:)`.
    var position: Int { state.value.position }

    /// Sends nothing behind `position` from now on; `nil` lets everything go on.
    func hold(at position: Int?) {
        state.change { ($0.holdsAt, $0.isHeld, $0.position) = (position, false, 0) }
    }

    private static func deliver(
        _ content: [UInt8], _ request: LoopbackServer.Request, _ connection: LoopbackServer.Connection,
        _ state: Shared<State>, _ pace: Pace?
    ) async {
        let (range, ifRange) = (request.values("Range").first, request.values("If-Range").first)
        let asked = range.flatMap { Int($0.dropFirst("bytes=".count).prefix { $0.isNumber }) }
        let isPart = asked != nil && ifRange == tag
        let start = isPart ? asked ?? 0 : 0
        let head =
            (isPart
                ? [
                    "HTTP/1.1 206 Partial Content",
                    "Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)",
                ]
                : ["HTTP/1.1 200 OK"]) + ["Content-Length: \(content.count - start)", "ETag: \(tag)"]
        var position = start
        do {
            try await connection.send((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            while position < content.count {
                var end = position
                try await eventually("more bytes may be sent") {
                    end = next(position, of: content.count, state, pace)
                    return end > position || !connection.isOpen
                }
                guard end > position else { break }
                try await connection.send(content[position..<end])
                position = end
                state.change { $0.position = end }
            }
        } catch {}  // The client has left.
        let sent = position - start
        state.change {
            $0.deliveries.append(
                Delivery(status: isPart ? 206 : 200, range: range, ifRange: ifRange, start: start, sent: sent))
        }
    }

    /// The end of the bytes that may be sent now.
    private static func next(_ position: Int, of count: Int, _ state: Shared<State>, _ pace: Pace?) -> Int {
        var end = min(count, position + 65_536)
        if let pace { end = min(end, max(position, fileSize(pace.file + ".part") + pace.window)) }
        return state.change { state in
            guard let hold = state.holdsAt else { return end }
            if position >= hold { state.isHeld = true }
            return min(end, max(hold, position))
        }
    }
}
