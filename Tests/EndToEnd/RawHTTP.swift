import Foundation

/// Sends bytes as they are and reads the whole answer: for requests that no client would write.
enum RawHTTP {
    struct Answer: Sendable {
        let status: Int
        let head: String
        let body: String
    }

    static func send(_ bytes: [UInt8], port: Int) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            // Off the cooperative pool: these calls block.
            DispatchQueue.global().async { continuation.resume(with: Result { try exchange(bytes, port: port) }) }
        }
    }

    static func request(
        _ method: String, _ target: [UInt8], headers: [String], body: [UInt8]? = nil, length: String? = nil
    ) -> [UInt8] {
        var lines = headers
        if let body { lines.append("Content-Length: \(length ?? String(body.count))") }
        let head = lines.map { $0 + "\r\n" }.joined()
        return Array("\(method) ".utf8) + target + Array(" HTTP/1.1\r\n\(head)\r\n".utf8) + (body ?? [])
    }

    private static func exchange(_ bytes: [UInt8], port: Int) throws -> Answer {
        guard let socket = Sockets.connected(to: port) else {
            throw EndToEndError("no connection to port \(port): \(errno)")
        }
        defer { close(socket) }
        Sockets.limitWaiting(socket, milliseconds: 10_000)
        // The server may answer and close before it has read everything.
        _ = Sockets.send(bytes[...], on: socket)
        return try answer(from: received(on: socket))
    }

    private static func received(on socket: Int32) -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count <= 0 { return answer }
            answer += buffer[..<count]
        }
    }

    private static func answer(from bytes: [UInt8]) throws -> Answer {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("HTTP/1."), let status = Int(text.dropFirst(9).prefix(3)) else {
            throw EndToEndError("no HTTP answer: '\(text.prefix(80))'")
        }
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        return Answer(status: status, head: String(parts[0]), body: parts.count > 1 ? String(parts[1]) : "")
    }
}
