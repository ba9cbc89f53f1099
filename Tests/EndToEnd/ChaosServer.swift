import Foundation
import StrataConcurrency

/// A server in this process that answers as a script says, and keeps what it was sent.
final class ChaosServer: Sendable {
    struct Request: Sendable {
        /// Among all requests, from 1.
        let number: Int
        /// Request line and header fields.
        let head: String
        let body: [UInt8]

        var method: Substring { head.prefix { $0 != " " } }
        var path: Substring { head.drop { $0 != " " }.dropFirst().prefix { $0 != " " } }

        /// The value of a field; `nil` when it is not there.
        func value(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                    return String(parts[1].drop { $0 == " " })
                }
            }
            return nil
        }
    }

    /// Answers on the socket; the connection goes on unless it was closed by the answer.
    typealias Script = @Sendable (Request, Int32) -> Void

    private struct State {
        var requests: [Request] = []
        var bytes: [UInt8] = []
    }

    /// Shared with the threads, which may outlive the server by a moment.
    private final class Record: Sendable {
        let state = Mutex(State())
    }

    private let record = Record()
    private let listening: Int32
    let port: Int

    init(_ script: @escaping Script) throws {
        (listening, port) = try Sockets.listening()
        Sockets.accepting(listening) { [record] in Self.serve($0, record, script) }
    }

    deinit { stop() }

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { record.state.withLock { $0.requests } }
    /// Everything that arrived on any connection.
    var received: String { String(decoding: record.state.withLock { $0.bytes }, as: UTF8.self) }

    /// From now on nobody listens at the port.
    func stop() { shutdown(listening, Int32(SHUT_RDWR)) }

    private static func serve(_ socket: Int32, _ record: Record, _ script: Script) {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let (head, body, size) = message(bytes) {
                bytes.removeFirst(size)
                let request = record.state.withLock { state in
                    let request = Request(number: state.requests.count + 1, head: head, body: body)
                    state.requests.append(request)
                    return request
                }
                script(request, socket)
                continue
            }
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { return }
            bytes += piece[..<count]
            record.state.withLock { $0.bytes += piece[..<count] }
        }
    }

    /// The first request in `bytes`, once it is whole. A body has a length; none of ours is sent in chunks.
    private static func message(_ bytes: [UInt8]) -> (head: String, body: [UInt8], size: Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let length = Request(number: 0, head: head, body: []).value("Content-Length").flatMap { Int($0) } ?? 0
        guard bytes.count - end.upperBound >= length else { return nil }
        let size = end.upperBound + length
        return (head, Array(bytes[end.upperBound..<size]), size)
    }
}

extension ChaosServer {
    static func answer(_ status: String, _ body: String = "", headers: [String] = [], on socket: Int32) {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
        _ = Sockets.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)[...], on: socket)
    }
}
