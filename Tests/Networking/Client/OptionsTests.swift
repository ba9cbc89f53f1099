import StrataDomain
import StrataNetworking
import StrataSystem
import StrataTesting
import Testing

struct OptionsTests {
    @Test(arguments: [1, 16 << 20, 1 << 30])
    func `a body limit may be this`(limit: Int) throws {
        #expect(try ClientOptions(bodyLimit: limit).bodyLimit == limit)
    }

    @Test(arguments: [0, -1, .min, (1 << 30) + 1, .max])
    func `a body limit may not be this`(limit: Int) {
        let error = #expect(throws: OptionsError.self) { try ClientOptions(bodyLimit: limit) }
        #expect(error?.description.contains("\(limit)") == true)
    }

    @Test(arguments: [(0, true), (1, true), (50, true), (-1, false), (51, false), (.max, false), (.min, false)])
    func `redirects are 0 to 50`(redirects: Int, isPossible: Bool) {
        #expect(((try? ClientOptions(redirects: redirects)) != nil) == isPossible)
    }

    @Test(arguments: ["a\r\nb", "a\nX: y", "\u{0}", "a\u{7F}"])
    func `a user agent that breaks the message is refused`(userAgent: String) {
        #expect(throws: OptionsError.self) { try ClientOptions(userAgent: userAgent) }
    }

    @Test func `a refusal does not repeat the value of a field`() {
        let error = #expect(throws: OptionsError.self) { try ClientOptions(headers: ["X-Api-Key": "hunter2\n"]) }
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.description.contains("X-Api-Key") == true)
    }

    @Test func `the defaults are the documented ones`() {
        let options = ClientOptions.standard
        #expect(options.bodyLimit == 16 << 20)
        #expect(options.redirects == 10)
        #expect(options.coalescesReads)
        #expect(!options.addsIdempotencyKeys)
        #expect(options.trustedOrigins.isEmpty)
        #expect(options.headers.map(\.name) == ["Accept", "User-Agent"])
        #expect(options.headers["User-Agent"] == "Strata/\(StrataVersion.current)")
        #expect(ResilienceOptions.standard.hedge == nil)
        #expect(ResilienceOptions.standard.deadline == .seconds(30))
    }

    @Test(arguments: [
        (Duration.milliseconds(1), 1, true), (.seconds(3600), 10, true), (.milliseconds(100), 3, true),
        (.zero, 1, false), (.milliseconds(-1), 1, false), (.microseconds(999), 1, false),
        (.seconds(3601), 1, false), (.seconds(Int64.max), 1, false), (.milliseconds(100), 0, false),
        (.milliseconds(100), -1, false), (.milliseconds(100), 11, false), (.milliseconds(100), .max, false),
    ])
    func `a hedge comes after 1 ms to 1 h, with 1 to 10 others`(delay: Duration, extra: Int, isPossible: Bool) {
        #expect(((try? HedgeOptions(delay: delay, extra: extra)) != nil) == isPossible)
    }

    @Test(arguments: [Duration.seconds(Int64.min), .seconds(Int64.max), .seconds(-1), .zero, .nanoseconds(1)])
    func `a call takes any duration as deadline and attempt timeout, however absurd`(duration: Duration) async throws {
        for options in [
            CallOptions(deadline: duration), CallOptions(attemptTimeout: duration),
            CallOptions(deadline: duration, attemptTimeout: duration),
        ] {
            let bench = try Bench.plain(.json(tideJSON))
            let isPossible = duration > .zero
            #expect(((try? await bench.client.send(ShowTide(), options: options)) != nil) == isPossible)
            #expect(bench.transport.requests.count == (isPossible ? 1 : 0))
        }
    }

    @Test(arguments: [
        (Duration.milliseconds(99), true), (.milliseconds(100), false), (.milliseconds(101), false),
        (.seconds(60), false),
    ])
    func `a hedge comes before the attempt has timed out`(delay: Duration, isPossible: Bool) throws {
        let hedge = try HedgeOptions(delay: delay)
        let options = try? ResilienceOptions(attemptTimeout: .milliseconds(100), hedge: hedge)
        #expect((options != nil) == isPossible)
    }

    @Test(arguments: [
        (Duration.seconds(30), Duration?.none, 16, true), (.nanoseconds(1), nil, 1, true),
        (.seconds(30 * 86_400), .seconds(30 * 86_400), 10_000, true), (.zero, nil, 16, false),
        (.seconds(-1), nil, 16, false), (.seconds(30 * 86_400 + 1), nil, 16, false),
        (.seconds(Int64.max), nil, 16, false), (.seconds(5), .zero, 16, false), (.seconds(5), .seconds(-5), 16, false),
        (.seconds(5), .seconds(6), 16, false), (.seconds(5), .seconds(5), 16, true), (.seconds(5), nil, 0, false),
        (.seconds(5), nil, -1, false), (.seconds(5), nil, 10_001, false), (.seconds(5), nil, .max, false),
    ])
    func `times and limits fit each other`(deadline: Duration, attempt: Duration?, concurrency: Int, isPossible: Bool) {
        let options = try? ResilienceOptions(deadline: deadline, attemptTimeout: attempt, concurrency: concurrency)
        #expect((options != nil) == isPossible)
    }
}
