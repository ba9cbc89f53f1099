import Foundation
import StrataDomain
import StrataService
import StrataTesting
import Testing

/// Many connections to a service, over real sockets.
@Suite struct ConnectionsTests {
    private static let request = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `connections over the bound of an address are closed, and another address is served`() async throws {
        try await withLiveService(configure: { $0.limits.maxConnectionsPerAddress = 8 }) { service, live in
            var held: [RawConnection] = []
            for _ in 0..<8 { held.append(try await RawConnection(port: live.port)) }
            for connection in held {
                connection.send(Self.request)
                #expect(try await connection.read(until: "nobody").hasPrefix("HTTP/1.1 200 "))
            }
            for _ in 0..<20 { #expect(try await RawConnection(port: live.port).readToEnd() == "") }
            let other = try await RawConnection(port: live.port, from: "127.0.0.2")
            other.send(Self.request)
            #expect(try await other.read(until: "nobody").hasPrefix("HTTP/1.1 200 "))
            #expect(service.metrics.text().contains(#"tides_http_connections_refused_total{bound="address"} 20"#))
        }
    }

    @Test func `a trusted proxy has as many connections as it opens`() async throws {
        try await withLiveService(configure: {
            $0.limits.maxConnectionsPerAddress = 2
            $0.trustedProxies = (try? TrustedProxies("127.0.0.1")) ?? .none
        }) { _, live in
            var held: [RawConnection] = []
            for _ in 0..<12 { held.append(try await RawConnection(port: live.port)) }
            for connection in held {
                connection.send(Self.request)
                #expect(try await connection.read(until: "nobody").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func `above the bound in all the connection that was idle longest is evicted`() async throws {
        try await withLiveService(.own, configure: { $0.limits.maxConnections = 4 }) { _, live in
            var held: [RawConnection] = []
            for number in 2...5 { held.append(try await RawConnection(port: live.port, from: "127.0.0.\(number)")) }
            for connection in held {
                connection.send(Self.request)
                #expect(try await connection.read(until: "nobody").hasPrefix("HTTP/1.1 200 "))
            }
            let new = try await RawConnection(port: live.port, from: "127.0.0.9")
            new.send(Self.request)
            #expect(try await new.read(until: "nobody").hasPrefix("HTTP/1.1 200 "))
            #expect(try await held[0].readToEnd() == "")
            held[1].send(Self.request)
            #expect(try await held[1].read(until: "nobody").hasPrefix("HTTP/1.1 200 "))
        }
    }
}
