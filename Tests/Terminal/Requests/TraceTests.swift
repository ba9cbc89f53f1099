import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

struct TraceTests {
    @Test func `a trace prints every decision and then the state of the origin`() async throws {
        let client = ScriptedRawClient(.answer(200, "body", events: NetworkEvent.retried))
        client.origin = OriginState(origin: "http://server", circuit: .closed, retryBudget: 9.25)
        let run = try await RequestRun(["request", "GET", "/x", "--trace"], client)
        #expect(run.output.text == "body")
        #expect(
            run.errors.text == """
                    0 ms  GET /x begins, request id r-1
                    0 ms  attempt 1 begins
                    0 ms  attempt 1 ends: 503 after 12 ms
                    0 ms  attempt 1 is repeated: retry in 640 ms
                    0 ms  attempt 2 begins
                    0 ms  attempt 2 ends: 200 after 7.5 ms
                    0 ms  done: 200 after 660 ms
                http://server: circuit closed, retry budget 9.3

                """)
    }

    @Test func `the trace is in the document of --json`() async throws {
        let client = ScriptedRawClient(.answer(200, "", events: Array(NetworkEvent.retried.prefix(4))))
        let run = try await RequestRun(["request", "GET", "/x", "--trace", "--json"], client)
        #expect(
            run.output.text.contains(
                """
                "trace":[{"at_ms":0,"event":"call_started","request":"GET /x","request_id":"r-1"},\
                {"at_ms":0,"attempt":1,"event":"attempt_started"},\
                {"at_ms":0,"attempt":1,"decision":"retry in 640 ms","duration_ms":12,"event":"attempt_finished",\
                "outcome":"503"},{"at_ms":0,"attempt":1,"event":"retry_scheduled","reason":"retry in 640 ms",\
                "wait_ms":640}]
                """))
        #expect(run.errors.text.isEmpty)
    }

    private static let origin = "http://h"
    static let kinds: [(NetworkEvent.Kind, String, String)] = [
        (
            .retryDeclined(afterAttempt: 3, reason: "attempt 3 was the last"), "attempt 3 is not repeated",
            "retry_declined"
        ),
        (.circuit(origin: origin, .opened), "circuit of http://h: open from now on, too many failures", "circuit"),
        (.circuit(origin: origin, .probing), "one attempt is let through", "circuit"),
        (.circuit(origin: origin, .closed), "closed again", "circuit"),
        (.circuit(origin: origin, .rejected), "open, nothing is sent", "circuit"),
        (
            .attemptFinished(
                .init(number: 2, outcome: "200", decision: "hedge: its answer was taken", duration: .seconds(1))),
            "attempt 2 ends: 200 after 1 s, hedge: its answer was taken", "attempt_finished"
        ),
        (.hedgeStarted(2), "attempt 2 is sent beside one that takes long", "hedge_started"),
        (.hedgeDeclined(reason: "no budget"), "no second attempt beside the first: no budget", "hedge_declined"),
        (.redirected(status: 302, to: "http://h/y"), "redirected by 302 to http://h/y", "redirected"),
        (.redirectDeclined(status: 307, reason: "why"), "redirect by 307 is not followed: why", "redirect_declined"),
        (.joined(requestId: "r-9"), "shares the response of request r-9", "joined"),
        (
            .cached(.sample("Strata; hit; ttl=40", tier: "memory")),
            "cache Strata: hit in memory, fresh for 40 s, key 0123456789abcdef", "cached"
        ),
        (
            .cached(.sample("Edge; hit, Strata; fwd=stale; fwd-status=304; ttl=-2; stored; collapsed")),
            "cache Strata: the origin is asked (stale), it answered 304, stale since 2 s, the response is stored, one request "
                + "with others, key 0123456789abcdef", "cached"
        ),
        (
            .cached(.sample(#"Strata; hit; ttl=-9; detail="a, b; c""#)),
            "cache Strata: hit, stale since 9 s, a, b; c, key 0123456789abcdef", "cached"
        ),
        (.cached(.sample("Strata; detail=only-if-cached")), "cache Strata: no answer, only-if-cached, key", "cached"),
        (.refreshStarted, "the token is refreshed", "refresh_started"),
        (.refreshFinished(failure: nil), "the refresh brought a new token", "refresh_finished"),
        (.refreshFinished(failure: "401"), "the refresh failed: 401", "refresh_finished"),
        (.sessionEnded, "the session has ended", "session_ended"),
    ]

    @Test(arguments: kinds)
    func `every event has a sentence and a name`(kind: NetworkEvent.Kind, sentence: String, name: String) throws {
        let entry = TraceEntry(at: .milliseconds(1250), event: .sample(kind))
        #expect(entry.text.hasPrefix("   1.2 s  "))
        #expect(entry.text.contains(sentence))
        let document = try JSONValue(encoding: entry.document).object
        #expect(document?["event"] == .string(name) && document?["at_ms"] == .integer(1250))
    }

    @Test(arguments: [
        (Duration.zero, "0 ms"), (.microseconds(49), "0 ms"), (.microseconds(1949), "1.9 ms"),
        (.milliseconds(99), "99 ms"),
        (.microseconds(123_900), "123 ms"), (.milliseconds(1500), "1.5 s"), (.seconds(61), "61 s"),
    ])
    func `a duration is printed with its unit and few digits`(duration: Duration, text: String) {
        #expect(duration.shortText == text)
    }

    @Test func `the state of an origin has the end of its open circuit and its retry budget`() {
        let state = OriginState(
            origin: "http://h", circuit: .open, openUntil: Date(timeIntervalSince1970: 0), retryBudget: 0)
        #expect(state.text == "http://h: circuit open until 1970-01-01T00:00:00.000Z, retry budget 0.0")
    }

    @Test func `times in a trace count from the start of the call`() async throws {
        let clock = ManualClock()
        let client = ScriptedRawClient(
            .init { _, sink in
                clock.advance(by: .milliseconds(20))
                sink(.sample(.attemptStarted(1)))
                clock.advance(by: .milliseconds(5))
                return RawResponse(head: ResponseHead(status: 200), bytes: Data())
            })
        let run = try await RequestRun(["request", "GET", "/x", "--trace", "--json"], client, clock: clock)
        #expect(run.output.text.contains(#""at_ms":20"#))
        #expect(run.output.text.contains(#""duration_ms":25"#))
    }
}

extension CacheReport {
    static func sample(_ field: String, tier: String? = nil) -> CacheReport {
        var report = CacheReport(cache: "Strata", in: [field]) ?? CacheReport(cache: "none")
        report.tier = tier
        report.key = "0123456789abcdef0123"
        return report
    }
}
