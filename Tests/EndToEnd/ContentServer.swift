import Foundation
import StrataConcurrency
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

    enum Forgery: Sendable {
        case anotherStart, anotherTag, anotherTotal, noRange, tooMuch
    }

    private struct State {
        var content: [UInt8]
        var tag: String
        var holdsAt: Int?
        var isHeld = false
        var position = 0
        var forgery: Forgery?
        var deliveries: [Delivery] = []
    }

    /// Shared with the threads of the server.
    private final class Shelf: Sendable {
        let state: Mutex<State>
        init(_ state: State) { self.state = Mutex(state) }
    }

    private let shelf: Shelf
    private let server: LoopbackServer

    init(_ content: [UInt8], tag: String = "\"first\"", pace: Pace? = nil) async throws {
        let shelf = Shelf(State(content: content, tag: tag))
        self.shelf = shelf
        server = try await LoopbackServer.start(
            .init(sending: { request, connection in await Self.deliver(request, connection, shelf, pace) }))
    }

    var url: String { server.url + "/content" }
    /// Those that have ended.
    var deliveries: [Delivery] { shelf.state.withLock { $0.deliveries } }
    var isHeld: Bool { shelf.state.withLock { $0.isHeld } }
    /// Where the newest delivery is; 0 until something was sent since `hold(at:)`.
    var position: Int { shelf.state.withLock { $0.position } }

    /// Sends nothing behind `position` from now on; `nil` lets everything go on.
    func hold(at position: Int?) {
        shelf.state.withLock { ($0.holdsAt, $0.isHeld, $0.position) = (position, false, 0) }
    }
    func forge(_ forgery: Forgery?) { shelf.state.withLock { $0.forgery = forgery } }
    func replace(_ content: [UInt8], tag: String) { shelf.state.withLock { ($0.content, $0.tag) = (content, tag) } }

    private static func deliver(
        _ request: LoopbackServer.Request, _ connection: LoopbackServer.Connection, _ shelf: Shelf, _ pace: Pace?
    ) async {
        let (content, tag, forgery) = shelf.state.withLock { ($0.content, $0.tag, $0.forgery) }
        let (range, ifRange) = (request.values("Range").first, request.values("If-Range").first)
        let asked = range.flatMap { Int($0.dropFirst("bytes=".count).prefix { $0.isNumber }) }
        let start = ifRange == tag ? asked ?? 0 : 0
        let isPart = asked != nil && (ifRange == tag || forgery != nil)
        let head =
            isPart
            ? partHead(from: forgery == nil ? start : asked ?? 0, of: content.count, tag: tag, forgery)
            : ["HTTP/1.1 200 OK", "Content-Length: \(content.count)", "ETag: \(tag)"]
        var position = start
        do {
            try await connection.send((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            while position < content.count {
                var end = position
                try await eventually("more bytes may be sent") {
                    end = next(position, of: content.count, shelf, pace)
                    return end > position || !connection.isOpen
                }
                guard end > position else { break }
                try await connection.send(content[position..<end])
                position = end
                shelf.state.withLock { $0.position = end }
            }
        } catch {}  // The client has left.
        let sent = position - start
        shelf.state.withLock {
            $0.deliveries.append(
                Delivery(status: isPart ? 206 : 200, range: range, ifRange: ifRange, start: start, sent: sent))
        }
    }

    /// The end of the bytes that may be sent now.
    private static func next(_ position: Int, of count: Int, _ shelf: Shelf, _ pace: Pace?) -> Int {
        var end = min(count, position + 65_536)
        if let pace { end = min(end, max(position, fileSize(pace.file + ".part") + pace.window)) }
        return shelf.state.withLock { state in
            guard let hold = state.holdsAt else { return end }
            if position >= hold { state.isHeld = true }
            return min(end, max(hold, position))
        }
    }

    private static func partHead(from start: Int, of count: Int, tag: String, _ forgery: Forgery?) -> [String] {
        var fields = (range: "bytes \(start)-\(count - 1)/\(count)", tag: tag, length: count - start)
        switch forgery {
        case .anotherStart: fields = ("bytes \(start - 7)-\(count - 1)/\(count)", tag, count - start + 7)
        case .anotherTag: fields.tag = "\"forged\""
        case .anotherTotal: fields.range = "bytes \(start)-\(count - 1)/\(count + 9)"
        case .noRange: fields.range = ""
        case .tooMuch: fields = ("bytes \(start)-\(count)/\(count)", tag, count - start + 1)
        case nil: break
        }
        var head = ["HTTP/1.1 206 Partial Content", "Content-Length: \(fields.length)", "ETag: \(fields.tag)"]
        if !fields.range.isEmpty { head.append("Content-Range: \(fields.range)") }
        return head
    }
}
