/// What a loopback listener reads and writes: the head of a request without a body, and a page. Pure.
enum LoopbackRequest {
    /// Whether the head is complete: an empty line stands at its end.
    static func isWhole(_ bytes: [UInt8]) -> Bool { bytes.firstRange(of: Array("\r\n\r\n".utf8)) != nil }

    /// The query of a `GET` of exactly `path`, empty without one; `nil` for any other request.
    static func query(of head: [UInt8], at path: String) -> String? {
        guard
            let line = String(
                validating: head.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        else { return nil }
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "GET", parts[2].hasPrefix("HTTP/1.") else { return nil }
        let target = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard target[0] == path else { return nil }
        return target.count > 1 ? String(target[1]) : ""
    }

    /// For the user, after the answer was received; what it says is told by the program.
    static let page = response(
        "200 OK", "text/html; charset=utf-8",
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Login</title>"
            + "<p>The program has the answer. You can close this window.</p></html>\n")

    static let notFound = response("404 Not Found", "text/plain; charset=utf-8", "Not found.\n")

    /// The page is neither stored nor may it load anything: its URL holds the code of the login.
    private static func response(_ status: String, _ type: String, _ body: String) -> [UInt8] {
        let lines = [
            "HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "Content-Security-Policy: default-src 'none'",
            "Connection: close", "", body,
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
