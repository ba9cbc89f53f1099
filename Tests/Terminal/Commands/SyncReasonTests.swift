import Testing

@testable import StrataTerminal

struct SyncReasonTests {
    @Test func `no reason displaces another, and none waits twice`() async {
        let reasons = SyncReasons()
        for reason in [SyncReason.timer, .change, .timer, .online(lostAfter: 1), .change, .online(lostAfter: 2)] {
            reasons.add(reason)
        }
        #expect(reasons.take() == [.timer, .change, .online(lostAfter: 2)])
        #expect(reasons.take().isEmpty)
    }
}
