import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// The listener of a login, with plain connections in place of a browser.
struct LoopbackListenerTests {
    private static let head = " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n"

    private func isClosed(_ port: UInt16) async -> Bool {
        do {
            _ = try await RawConnection(port: Int(port))
            return false
        } catch { return true }
    }

    @Test func `the first request of the path ends the wait and gets a page`() async throws {
        let listener = try LoopbackListener(port: 0)
        let port = Int(listener.port)
        #expect(listener.redirect == "http://127.0.0.1:\(port)/callback")
        let wait = Task { try await listener.query(at: "/callback") { _ in true } }
        for target in ["/favicon.ico", "/callback/", "/callback2?code=1", "/Callback", "/", "//callback", "*"] {
            let text = try await RawConnection.exchange("GET \(target)\(Self.head)", port: port)
            #expect(text.hasPrefix("HTTP/1.1 404 "), "\(target)")
        }
        let text = try await RawConnection.exchange("GET /callback?code=a%20b&state=s?x\(Self.head)", port: port)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains("You can close this window."))
        #expect(text.contains("\r\nCache-Control: no-store\r\n") && !text.contains("code="))
        #expect(try await wait.value == "code=a%20b&state=s?x")
        #expect(await isClosed(listener.port))
    }

    @Test(arguments: [
        "POST /callback?code=1", "HEAD /callback?code=1", "get /callback?code=1", "GET  /callback?code=1", "GET",
        "GET http://127.0.0.1/callback?code=1", "OPTIONS /callback",
    ])
    func `another method or a damaged request line is no answer`(line: String) async throws {
        let listener = try LoopbackListener(port: 0)
        let wait = Task { try await listener.query(at: "/callback") { _ in true } }
        let text = try await RawConnection.exchange("\(line)\(Self.head)", port: Int(listener.port))
        #expect(text.hasPrefix("HTTP/1.1 404 "))
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
    }

    @Test func `silent connections do not hold up the answer, and one in pieces is read`() async throws {
        let listener = try LoopbackListener(port: 0)
        let port = Int(listener.port)
        let wait = Task { try await listener.query(at: "/callback") { _ in true } }
        var silent: [RawConnection] = []
        for _ in 0..<12 { silent.append(try await RawConnection(port: port)) }
        let browser = try await RawConnection(port: port)
        browser.send("GET /call")
        // Answered when the pieces before were read.
        _ = try await RawConnection.exchange("GET /\(Self.head)", port: port)
        browser.send("back?code=1\(Self.head)")
        #expect(try await browser.readToEnd().hasPrefix("HTTP/1.1 200 OK"))
        #expect(try await wait.value == "code=1")
        for connection in silent { await connection.close() }
    }

    @Test func `a head without an end is cut off, and the wait goes on`() async throws {
        let listener = try LoopbackListener(port: 0)
        let port = Int(listener.port)
        let wait = Task { try await listener.query(at: "/callback") { _ in true } }
        let flood = "GET /callback?code=" + String(repeating: "a", count: 64 * 1024)
        let text = try await RawConnection.exchange(flood, port: port)
        #expect(text.isEmpty)
        _ = try await RawConnection.exchange("GET /callback?code=1\(Self.head)", port: port)
        #expect(try await wait.value == "code=1")
    }

    @Test func `a cancelled wait ends at once and closes the port, before or after it began`() async throws {
        for number in 0..<20 {
            let listener = try LoopbackListener(port: 0)
            let wait = Task { try await listener.query(at: "/callback") { _ in true } }
            if number.isMultiple(of: 2) { await Task.yield() }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
            #expect(await isClosed(listener.port))
        }
    }

    @Test func `a listener that is not used closes its port, and a port can be had twice in a row but not at once`()
        async throws
    {
        var listener: LoopbackListener? = try LoopbackListener(port: 0)
        let port = try #require(listener?.port)
        #expect(throws: (any Error).self) { try LoopbackListener(port: port) }
        listener = nil
        for _ in 0..<2 {
            let again = try LoopbackListener(port: port)
            let wait = Task { try await again.query(at: "/callback") { _ in true } }
            _ = try await RawConnection.exchange("GET /callback\(Self.head)", port: Int(port))
            #expect(try await wait.value == "")
        }
    }
}
