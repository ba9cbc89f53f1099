import HTTPTypes
import StrataDomain
import StrataService
import StrataTesting
import Testing

/// The `Host` of a request against the service's address, over sockets.
@Suite struct HostTests {
    @discardableResult
    private func expect(
        _ status: String, _ host: String, _ path: String = "/open", port: Int, more: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let answer = try await RawConnection.exchange(
            "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(more)Connection: close\r\n\r\n", port: port)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host) \(path)", sourceLocation: location)
        return answer
    }

    @Test func `a foreign host is 421, a broken one 400, and probes take any name`() async throws {
        let address = ServiceAddress(publicURL: PublicURL("https://tides.example"), host: "127.0.0.1", port: 0)
        try await withLiveService(configure: { $0.address = address }) { _, live in
            let port = live.port
            try await expect("200", "tides.example", port: port)
            for host in ["evil.example", "127.0.0.1:\(port)", "tides.example:8080", "tides.example.evil.example"] {
                try await expect("421", host, port: port)
                for probe in ["/health/live", "/health/ready?x=1", "/metrics"] {
                    try await expect("200", host, probe, port: port)
                }
            }
            for host in ["a:b:c", "tides.example:99999999", "tides.example:0", "[::1", "tides.example, b"] {
                try await expect("400", host, port: port)
            }
        }
    }

    @Test func `the host of a URL as target counts instead of the field`() async throws {
        let address = ServiceAddress(publicURL: PublicURL("https://tides.example"), host: "127.0.0.1", port: 0)
        try await withLiveService(configure: { $0.address = address }) { _, live in
            try await expect("200", "evil.example", "http://tides.example/open", port: live.port)
            try await expect("421", "tides.example", "http://evil.example/open", port: live.port)
            try await expect("421", "tides.example", "https://evil.example?x=/tides.example", port: live.port)
            for target in ["http:///open", "http://me@tides.example/open", "http://tides.example:0/open", "http:open"] {
                try await expect("400", "tides.example", target, port: live.port)
            }
            try await expect(
                "400", "tides.example", "http://tides.example/open", port: live.port, more: "Host: tides.example\r\n")
        }
    }

    @Test func `the problem names the address, the code, and host and port of the request`() async throws {
        let address = ServiceAddress(publicURL: PublicURL("https://tides.example"), host: "127.0.0.1", port: 0)
        try await withService(configure: { $0.address = address }) { _, client in
            let problem = try await client.send(.get, "/open").problem()
            #expect(problem.status == 421)
            #expect(problem.code == "unknown_host")
            #expect(problem.detail?.contains("https://tides.example") == true)
        }
        try await withLiveService(configure: { $0.address = address }) { _, live in
            for host in ["tides.example:8080", "[::1]:80", "evil.example"] {
                let answer = try await expect("421", host, port: live.port)
                #expect(answer.contains("not at '\(host)'; send"), "\(host)")
            }
        }
    }

    @Test func `without a public URL the listening address is the issuer, and names from outside are refused`()
        async throws
    {
        let address = ServiceAddress(host: "127.0.0.1", port: 0)
        try await withLiveService(configure: { $0.address = address }) { _, live in
            #expect(address.url == "http://127.0.0.1:\(live.port)")
            for host in ["127.0.0.1:\(live.port)", "127.0.0.1:1", "localhost", "[::1]:80"] {
                try await expect("200", host, port: live.port)
            }
            try await expect("421", "evil.example", port: live.port)
        }
    }

    @Test func `only a trusted proxy can name the host`() async throws {
        let address = ServiceAddress(publicURL: PublicURL("https://tides.example"), host: "127.0.0.1", port: 0)
        let more = "X-Forwarded-Host: tides.example\r\nX-Forwarded-For: 192.0.2.1\r\n"
        try await withLiveService(configure: { $0.address = address }) { _, live in
            try await expect("421", "127.0.0.1", port: live.port, more: more)
        }
        try await withLiveService(configure: {
            $0.address = ServiceAddress(publicURL: PublicURL("https://tides.example"), host: "127.0.0.1", port: 0)
            $0.trustedProxies = (try? TrustedProxies("127.0.0.1")) ?? .none
        }) { service, live in
            try await expect("200", "127.0.0.1", port: live.port, more: more)
            try await expect("421", "127.0.0.1", port: live.port)
            let line = try #require(service.logLines.last { $0.contains("status=200") })
            #expect(line.contains("client=192.0.2.1"))
            #expect(line.contains("proxy=127.0.0.1"))
        }
    }
}
