import Foundation
import HTTPTypes
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

/// Rates over the whole service, and their header fields.
@Suite struct RateLimitTests {
    private static func limits(person: Int = 1000, host: Int = 1000, address: Int = 1000) -> ServiceLimits {
        var limits = ServiceLimits()
        limits.rates.person = RateLimit(burst: person, perSecond: 0.001)
        limits.rates.reads = RateLimit(burst: person, perSecond: 0.001)
        limits.rates.host = RateLimit(burst: host, perSecond: 0.001)
        limits.rates.address = RateLimit(burst: address, perSecond: 0.001)
        return limits
    }

    /// Runs `body` against a service whose time stands still.
    private static func withStoppedClock(
        _ limits: ServiceLimits, proxies: String = "", _ body: @escaping @Sendable (Client) async throws -> Void
    ) async throws {
        let proxies = try TrustedProxies(proxies)
        try await withService(configure: {
            $0.limits = limits
            $0.trustedProxies = proxies
            $0.clock = ManualClock()
        }) { _, client in try await body(client) }
    }

    private static func from(_ address: String) -> HTTPFields { [.xForwardedFor: address] }

    @Test func `a user above the rate is refused, and another user is not`() async throws {
        try await Self.withStoppedClock(Self.limits(person: 3)) { client in
            for left in [2, 1, 0] {
                let reply = try await client.send(.get, "/v1/notes")
                #expect(reply.status == 200)
                #expect(reply.headers[.rateLimitPolicy] == "\"reads\";q=3;w=3000")
                #expect(reply.headers[.rateLimit] == "\"reads\";r=\(left);t=\((3 - left) * 1000)")
            }
            let refusal = try await client.send(.get, "/v1/notes")
            #expect(try refusal.problem().code == "rate_limited")
            #expect(refusal.status == 429)
            #expect(refusal.headers[.retryAfter] == "1000")
            #expect(refusal.headers[.rateLimit] == "\"reads\";r=0;t=3000")
            #expect(try await client.send(.get, "/v1/notes", as: "bert").status == 200)
        }
    }

    @Test func `every kind of call counts: reads, writes, sync, refusals and unknown paths`() async throws {
        try await Self.withStoppedClock(Self.limits(person: 4, address: 2)) { client in
            let created = try await client.send(.post, "/v1/notes", json: #"{"text":"a","level":1}"#)
            #expect(created.status == 201)
            #expect(try await client.send(.get, "/v1/sync/changes").status == 200)
            #expect(try await client.send(.get, "/v1/admin").status == 403)
            #expect(try await client.send(.get, "/v1/notes/none").status == 404)
            #expect(try await client.send(.get, "/v1/notes").status == 200)
            #expect(try await client.send(.get, "/v1/notes").status == 429)
            for left in [2, 1, 0] {
                let reply = try await client.send(.post, "/v1/notes", json: #"{"text":"left \#(left)","level":1}"#)
                #expect(reply.status == 201 && reply.headers[.rateLimit]?.hasPrefix("\"person\";r=\(left);t=") == true)
            }
            #expect(try await client.send(.post, "/v1/notes", json: #"{"text":"a","level":1}"#).status == 429)
            #expect(try await client.send(.get, "/nowhere").status == 404)
            #expect(try await client.send(.put, "/open").status == 405)
            #expect(try await client.send(.get, "/nowhere").status == 429)
        }
    }

    @Test func `requests without valid credentials count for their address and not for a user there`()
        async throws
    {
        try await Self.withStoppedClock(Self.limits(address: 3), proxies: "unix") { client in
            let here = Self.from("192.0.2.1")
            let first = try await client.send(.get, "/open", as: nil, headers: here)
            #expect(first.status == 200)
            #expect(try await client.send(.get, "/v1/notes", as: nil, headers: here).status == 401)
            #expect(try await client.send(.get, "/v1/notes", as: "expired", headers: here).status == 401)
            #expect(try await client.send(.get, "/v1/notes", as: "expired", headers: here).status == 429)
            #expect(try await client.send(.get, "/open", as: nil, headers: here).status == 429)
            #expect(try await client.send(.get, "/v1/notes", as: "anna", headers: here).status == 200)
            #expect(try await client.send(.get, "/open", as: nil, headers: Self.from("192.0.2.2")).status == 200)
        }
    }

    @Test func `the addresses of one network of IPv6 share a rate`() async throws {
        try await Self.withStoppedClock(Self.limits(address: 2), proxies: "unix") { client in
            for (number, status) in [200, 200, 429].enumerated() {
                let headers = Self.from("2001:db8:1:2::\(number)")
                let reply = try await client.send(.get, "/open", as: nil, headers: headers)
                #expect(reply.status == status)
            }
            let other = try await client.send(.get, "/open", as: nil, headers: Self.from("2001:db8:1:3::1"))
            #expect(other.status == 200)
        }
    }

    @Test func `a host token has a rate of its own`() async throws {
        try await Self.withStoppedClock(Self.limits(host: 1)) { client in
            let headers: HTTPFields = [.xAPIKey: "machine-key"]
            let first = try await client.send(
                .post, "/v1/notes", as: nil, headers: headers, json: #"{"text":"a","level":1}"#)
            #expect(first.status == 201)
            #expect(first.headers[.rateLimitPolicy]?.hasPrefix("\"host\";q=1;") == true)
            let second = try await client.send(
                .post, "/v1/notes", as: nil, headers: headers, json: #"{"text":"b","level":1}"#)
            #expect(second.status == 429)
        }
    }

    @Test func `health and metrics are never refused`() async throws {
        try await Self.withStoppedClock(Self.limits(address: 1)) { client in
            for _ in 0..<5 {
                for path in ["/health/live", "/health/ready", "/metrics"] {
                    let reply = try await client.send(.get, path, as: nil)
                    #expect(reply.status == 200)
                    #expect(reply.headers[.rateLimit] == nil)
                }
            }
            #expect(try await client.send(.get, "/open", as: nil).status == 200)
        }
    }

    @Test func `five thousand writes of one user exceed the default rate`() {
        let clock = ManualClock()
        let limiter = RateLimiter(RateLimits(), timers: TimerQueue(clock))
        let anna = Principal.user(.init(id: "anna", username: "anna", isAdmin: false, sessionId: "s"))
        func allowed() -> Int { (0..<5000).count { _ in limiter.take(anna, address: "192.0.2.1").wait == nil } }
        #expect(allowed() == 3000)
        // The interval between requests is rounded up to whole nanoseconds.
        clock.advance(by: .milliseconds(2001))
        #expect(allowed() == 600, "a refused request is not counted")
        clock.advance(by: .seconds(3600))
        #expect(allowed() == 3000, "an idle user has the whole burst, and no more")
    }

    @Test func `a flood of addresses leaves the table bounded and the rates of users unchanged`() {
        let limits = Self.limits(person: 5).rates
        let limiter = RateLimiter(limits, timers: TimerQueue(ManualClock()), capacity: 1000)
        let anna = Principal.user(.init(id: "anna", username: "anna", isAdmin: false, sessionId: "s"))
        for number in 0..<100_000 {
            _ = limiter.take(nil, address: "2001:db8:\(String(number, radix: 16))::1")
            if number % 100 == 0 { _ = limiter.take(anna, address: "") }
        }
        #expect(limiter.take(anna, address: "").wait != nil)
    }
}
