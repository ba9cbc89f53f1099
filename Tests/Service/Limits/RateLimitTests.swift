import Foundation
import HTTPTypes
import StrataDomain
import Testing

@testable import StrataService

/// Rates over the whole service, and their header fields.
@Suite struct RateLimitTests {
    private static func limits(person: Int = 1000, host: Int = 1000, address: Int = 1000) -> ServiceLimits {
        var limits = ServiceLimits()
        // Nothing comes back while a test runs.
        limits.rates.person = RateLimit(burst: person, perSecond: 0.001)
        limits.rates.reads = RateLimit(burst: person, perSecond: 0.001)
        limits.rates.host = RateLimit(burst: host, perSecond: 0.001)
        limits.rates.address = RateLimit(burst: address, perSecond: 0.001)
        return limits
    }

    private static func from(_ address: String) -> HTTPFields { [.xForwardedFor: address] }

    @Test func `a user above the rate is refused, and another user is not`() async throws {
        try await withService(configure: { $0.limits = Self.limits(person: 3) }) { _, client in
            for left in [2, 1, 0] {
                let reply = try await client.send(.get, "/v1/notes")
                #expect(reply.status == 200)
                #expect(reply.headers[.rateLimitPolicy] == "\"reads\";q=3;w=3000")
                #expect(reply.headers[.rateLimit] == "\"reads\";r=\(left);t=\((3 - left) * 1000)")
            }
            let refusal = try await client.send(.get, "/v1/notes")
            #expect(try refusal.problem().code == "rate_limited")
            #expect(refusal.status == 429)
            #expect(refusal.headers[.retryAfter].flatMap { Int($0) }.map { (900...1000).contains($0) } == true)
            #expect(refusal.headers[.rateLimit]?.hasPrefix("\"reads\";r=0;t=") == true)
            #expect(try await client.send(.get, "/v1/notes", as: "bert").status == 200)
        }
    }

    @Test func `every kind of call counts: reads, writes, sync, refusals and unknown paths`() async throws {
        try await withService(configure: { $0.limits = Self.limits(person: 4, address: 2) }) { _, client in
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
        try await withService(configure: {
            $0.limits = Self.limits(address: 3)
            $0.trustedProxies = (try? TrustedProxies("unix")) ?? .none
        }) { _, client in
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
        try await withService(configure: {
            $0.limits = Self.limits(address: 2)
            $0.trustedProxies = (try? TrustedProxies("unix")) ?? .none
        }) { _, client in
            let statuses = try await [1, 2, 3].asyncMap { number in
                try await client.send(.get, "/open", as: nil, headers: Self.from("2001:db8:1:2::\(number)")).status
            }
            #expect(statuses == [200, 200, 429])
            #expect(try await client.send(.get, "/open", as: nil, headers: Self.from("2001:db8:1:3::1")).status == 200)
        }
    }

    @Test func `a host token has a rate of its own`() async throws {
        try await withService(configure: { $0.limits = Self.limits(host: 1) }) { _, client in
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
        try await withService(configure: { $0.limits = Self.limits(address: 1) }) { _, client in
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
        let limiter = RateLimiter(RateLimits())
        let anna = Principal.user(.init(id: "anna", username: "anna", isAdmin: false, sessionId: "s"))
        let start = ContinuousClock.now
        let refused = (0..<5000).filter { _ in limiter.take(anna, address: "192.0.2.1").wait != nil }.count
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect(refused > 0)
        #expect(Double(5000 - refused) <= 3000 + 300 * seconds + 1)
    }

    @Test func `a flood of addresses leaves the table bounded and the rates of users unchanged`() {
        let limits = Self.limits(person: 5).rates
        let limiter = RateLimiter(limits, capacity: 1000)
        let anna = Principal.user(.init(id: "anna", username: "anna", isAdmin: false, sessionId: "s"))
        for number in 0..<100_000 {
            _ = limiter.take(nil, address: "2001:db8:\(String(number, radix: 16))::1")
            if number % 100 == 0 { _ = limiter.take(anna, address: "") }
        }
        #expect(limiter.take(anna, address: "").wait != nil)
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncMap<Value: Sendable>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
