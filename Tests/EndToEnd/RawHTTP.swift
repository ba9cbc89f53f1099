import StrataTesting

/// Sends bytes as they are and reads the whole answer: for requests that no client would write.
enum RawHTTP {
    struct Answer: Sendable {
        let status: Int
        let head: String
        let body: String
    }

    /// The server may respond and close before it has read everything.
    static func send(_ bytes: [UInt8], port: Int) async throws -> Answer {
        let text = try await RawConnection.exchange(bytes, port: port)
        guard text.hasPrefix("HTTP/1."), let status = Int(text.dropFirst(9).prefix(3)) else {
            throw EndToEndError("no HTTP answer: '\(text.prefix(80))'")
        }
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        return Answer(status: status, head: String(parts[0]), body: parts.count > 1 ? String(parts[1]) : "")
    }

    static func request(
        _ method: String, _ target: [UInt8], headers: [String], body: [UInt8]? = nil, length: String? = nil
    ) -> [UInt8] {
        var lines = headers
        if let body { lines.append("Content-Length: \(length ?? String(body.count))") }
        let head = lines.map { $0 + "\r\n" }.joined()
        return Array("\(method) ".utf8) + target + Array(" HTTP/1.1\r\n\(head)\r\n".utf8) + (body ?? [])
    }
}
