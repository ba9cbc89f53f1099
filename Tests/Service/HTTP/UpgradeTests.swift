import Foundation
import StrataService
import StrataTesting
import Testing

/// Requests after which a client may speak another protocol, over real sockets. The service offers none.
@Suite struct UpgradeTests {
    private static let offers = [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
        "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n",
        "Connection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: TLS/1.0, IRC/6.9\r\n",
        "Upgrade: h2c\r\nProxy-Connection: upgrade\r\n",
        "Connection: keep-alive\r\nUpgrade: h2c\r\n",
    ]
    /// Offers that NIO's decoder does not recognise as other programs do.
    private static let unclear = [
        "Connection: upgrade\t, x\r\nUpgrade: h2c\r\n", "Connection: upgrade\r\nUpgrade:\r\n",
        "Connection: xupgrade\r\nUpgrade: h2c\r\n",
    ]
    private static let last = "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private static func get(_ fields: String) -> String { "GET /open HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }

    private static func post(_ fields: String, _ body: String) -> String {
        "POST /v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer anna\r\nContent-Type: application/json\r\n"
            + "\(fields)\(body)"
    }

    private static let bodies = [
        "Content-Length: 22\r\n\r\n{\"text\":\"a\",\"level\":1}",
        "Transfer-Encoding: chunked\r\n\r\n16\r\n{\"text\":\"a\",\"level\":1}\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n16\r\n{\"text\":\"a\",\"level\":1}\r\n0\r\nX-Trailer: 1\r\n\r\n",
    ]

    @Test(arguments: offers)
    func `the request after an offer to upgrade is answered`(_ offer: String) async throws {
        try await withLiveService { _, live in
            let connection = try await RawConnection(port: live.port)
            for _ in 0..<3 {
                connection.send(Self.get(offer))
                #expect(try await connection.read(until: "nobody").hasPrefix("HTTP/1.1 200 "))
            }
            connection.send(Self.last)
            #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test(arguments: offers, bodies)
    func `the request after one with a body and an offer to upgrade is answered`(
        _ offer: String, _ body: String
    ) async throws {
        try await withLiveService { service, live in
            let connection = try await RawConnection(port: live.port)
            connection.send(Self.post(offer, body))
            #expect(try await connection.read(until: "}").hasPrefix("HTTP/1.1 201 "))
            connection.send(Self.last)
            #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 404 "))
            try await expectRows(1, in: "note", of: service.store)
        }
    }

    @Test(arguments: [
        "GET /open HTTP/1.1\r\nHost: a\r\nConnection: close, upgrade\r\nUpgrade: x\r\n\r\n",
        "GET /open HTTP/1.0\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    ])
    func `nothing behind the last request of a connection is executed`(_ request: String) async throws {
        try await withLiveService { service, live in
            let connection = try await RawConnection(port: live.port)
            connection.send(request + Self.post("", Self.bodies[0]))
            #expect(try await connection.readToEnd().components(separatedBy: "HTTP/1.1 ").count == 2)
            try await expectRows(0, in: "note", of: service.store)
        }
    }

    /// In two packets, split at each byte.
    @Test func `requests behind an offer to upgrade are answered in order, wherever the packets end`() async throws {
        let requests = Self.post(Self.offers[0], Self.bodies[1]) + Self.get(Self.offers[1]) + Self.get("") + Self.last
        let message = Array(requests.utf8)
        try await withLiveService { service, live in
            for end in message.indices {
                let connection = try await RawConnection(port: live.port)
                connection.send(String(decoding: message[..<end], as: UTF8.self))
                await Task.yield()
                connection.send(String(decoding: message[end...], as: UTF8.self))
                let statuses = try await connection.readToEnd().matches(of: #/HTTP/1\.1 (\d+) /#).map(\.1)
                // A second note with the same text is a conflict.
                #expect(statuses == [end == 0 ? "201" : "409", "200", "200", "404"], "split at \(end)")
            }
            try await expectRows(1, in: "note", of: service.store)
        }
    }

    @Test(arguments: unclear)
    func `the connection closes after an offer that programs understand differently`(_ offer: String) async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(Self.get(offer), port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.lowercased().contains("connection: close"), "\(answer)")
        }
    }

    @Test(arguments: ["a:443", "/open", "http://a/open"])
    func `the connection closes after CONNECT`(_ target: String) async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(
                "CONNECT \(target) HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get(""), port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 4") && answer.lowercased().contains("connection: close"), "\(answer)")
            #expect(!answer.contains("nobody"))
        }
    }
}
