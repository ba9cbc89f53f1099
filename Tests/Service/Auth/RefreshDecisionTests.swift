import FoundationEssentials
import Testing

@testable import StrataService

@Suite struct RefreshDecisionTests {
    private static let now = Sample.now
    private static func decide(_ change: (inout RefreshDecision.Token) -> Void) -> RefreshDecision {
        var token = RefreshDecision.Token(expiresAt: now.addingTimeInterval(3600))
        change(&token)
        return RefreshDecision.decide(token, at: now, grace: 30)
    }

    @Test func `an unused token is exchanged`() {
        #expect(Self.decide { _ in } == .rotate)
    }

    @Test(arguments: [0.0, 1, 29.999, 30, -5, -30])
    func `a used token works again for 30 seconds while its successor is unused`(age: TimeInterval) {
        let decision = Self.decide { token in
            token.usedAt = Self.now.addingTimeInterval(-age)
            token.isSuccessorUnused = true
        }
        #expect(decision == .reissue)
    }

    @Test(arguments: [30.001, 31, 86_400, -31, -86_400])
    func `a used token is a replay after 30 seconds, and after a step of the clock`(age: TimeInterval) {
        let decision = Self.decide { token in
            token.usedAt = Self.now.addingTimeInterval(-age)
            token.isSuccessorUnused = true
        }
        #expect(decision == .endSession)
    }

    @Test func `a used token is a replay once its successor was used`() {
        #expect(Self.decide { $0.usedAt = Self.now } == .endSession)
    }

    @Test func `a superseded token is a replay, used or not, expired or not`() {
        #expect(Self.decide { $0.isSuperseded = true } == .endSession)
        let expired = Self.decide { token in
            token.isSuperseded = true
            token.expiresAt = Self.now
        }
        #expect(expired == .endSession)
    }

    @Test func `an expired token is refused and its session stays active`() {
        guard case .refuse = Self.decide({ $0.expiresAt = Self.now }) else {
            Issue.record("an expired token was not refused")
            return
        }
        let inGrace = Self.decide { token in
            token.expiresAt = Self.now
            token.usedAt = Self.now
            token.isSuccessorUnused = true
        }
        guard case .refuse = inGrace else {
            Issue.record("an expired token was traded in its grace")
            return
        }
    }

    @Test(arguments: Sessions.EndReason.allCases)
    func `a token of an ended session is refused with the reason`(reason: Sessions.EndReason) {
        let decision = Self.decide { token in
            token.endReason = reason
            token.isSuperseded = true
        }
        #expect(decision == .refuse(reason.sentence))
        // RFC 6749, section 5.2: the characters an error description may have.
        #expect(reason.sentence.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    }
}
