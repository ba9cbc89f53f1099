import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct ConnectivityVerdictTests {
    enum Step: Sendable {
        case link(Connectivity?)
        case answer
        /// A failure of the origin with that number.
        case fail(Int)
        case pause(Int)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        let verdict: Connectivity?

        init(_ name: String, _ steps: Step..., gives verdict: Connectivity?) {
            (testDescription, self.steps, self.verdict) = (name, steps, verdict)
        }
    }

    static let cases = [
        Case("nothing is known", gives: nil),
        Case("links alone decide: up", .link(.online), gives: .online),
        Case("links alone decide: down", .link(.offline), gives: .offline),
        Case("an answer before the links are known says nothing yet", .answer, gives: nil),
        Case("an answer before the links are known counts then", .answer, .link(.offline), gives: .online),
        Case("an answer overrides links that are down", .link(.offline), .answer, gives: .online),
        Case("while links are down one failure takes that back", .link(.offline), .answer, .fail(1), gives: .offline),
        Case(
            "a failure while links are down does not outlast them", .link(.offline), .fail(1), .fail(2), .link(.online),
            gives: .online),
        Case(
            "an answer from before the links went down is over", .link(.online), .answer, .link(.offline),
            gives: .offline),
        Case("one failure is no hint", .link(.online), .fail(1), gives: .online),
        Case("two failures of one origin are none either", .link(.online), .fail(1), .fail(1), gives: .online),
        Case("three in a row are", .link(.online), .fail(1), .fail(1), .fail(1), gives: .offline),
        Case("two origins are", .link(.online), .fail(1), .fail(2), gives: .offline),
        Case(
            "an answer in between begins the row anew", .link(.online), .fail(1), .fail(1), .answer, .fail(1),
            gives: .online),
        Case("an answer ends the hint", .link(.online), .fail(1), .fail(2), .answer, gives: .online),
        Case("failures after an answer count again", .link(.online), .answer, .fail(1), .fail(2), gives: .offline),
        Case(
            "links that went and came end the hint", .link(.online), .fail(1), .fail(2), .link(.offline),
            .link(.online), gives: .online),
        Case(
            "links that stay as they are end nothing", .link(.online), .fail(1), .fail(2), .link(.online),
            gives: .offline),
        Case("failures before the links are known count", .fail(1), .fail(2), .link(.online), gives: .offline),
        Case("a failure of a minute ago counts", .link(.online), .fail(1), .pause(60), .fail(2), gives: .offline),
        Case("an older one does not", .link(.online), .fail(1), .pause(61), .fail(2), gives: .online),
        Case(
            "a hint does not lapse by itself", .link(.online), .fail(1), .fail(2), .pause(3600), .fail(1),
            gives: .offline),
        Case("unwatched links are unknown", .link(.online), .answer, .link(nil), gives: nil),
        Case(
            "what was proved before they were unwatched is over", .link(.online), .fail(1), .fail(2), .link(nil),
            .link(.online), gives: .online),
    ]

    @Test(arguments: cases)
    func `links and requests give one verdict`(example: Case) throws {
        var verdict = ConnectivityVerdict()
        var now = Duration.zero
        for step in example.steps {
            switch step {
            case .link(let state): verdict.link(state)
            case .answer: verdict.answered()
            case .fail(let number): verdict.failed(try Origin(scheme: "http", host: "host\(number)"), at: now)
            case .pause(let seconds): now += .seconds(seconds)
            }
        }
        #expect(verdict.connectivity == example.verdict)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `an answer always means online, and links that go down without one offline`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var verdict = ConnectivityVerdict()
        let origins = try (1...3).map { try Origin(scheme: "http", host: "host\($0)") }
        var now = Duration.zero
        verdict.link(.online)
        for _ in 0..<300 {
            now += .seconds(Int.random(in: 0...30, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                verdict.answered()
                #expect(verdict.connectivity == .online)
            case 1:
                verdict.link(.online)
            case 2:
                verdict.link(.online)
                verdict.link(.offline)
                #expect(verdict.connectivity == .offline)
            default: verdict.failed(origins[Int.random(in: 0..<3, using: &random)], at: now)
            }
        }
        verdict.link(.offline)
        verdict.link(.online)
        #expect(verdict.connectivity == .online)
    }

    @Test(arguments: [
        ("200", ConnectivityTracker.RequestOutcome.answered), ("304", .answered), ("401", .answered),
        ("404", .answered),
        ("429", .answered), ("503", .answered), ("conflict", .answered), ("validation", .answered),
        ("decoding", .answered),
        ("no connection", .noConnection), ("connection lost", nil), ("timeout", nil), ("no secure connection", nil),
        ("circuit open", nil), ("cancelled", nil), ("invalid response", nil), ("0", nil), ("99999", nil), ("", nil),
    ])
    func `an attempt says what its outcome proves`(text: String, outcome: ConnectivityTracker.RequestOutcome?) {
        let attempt = NetworkError.Attempt(number: 1, outcome: text, decision: "done", duration: .zero)
        #expect(ConnectivityTracker.RequestOutcome(.attemptFinished(attempt)) == outcome)
    }

    @Test func `only a finished attempt has an outcome`() {
        let kinds: [NetworkEvent.Kind] = [
            .callStarted, .attemptStarted(1), .sessionEnded, .callFinished(outcome: "200", duration: .zero),
            .retryDeclined(afterAttempt: 1, reason: "no connection"),
        ]
        #expect(kinds.allSatisfy { ConnectivityTracker.RequestOutcome($0) == nil })
    }
}
