import Testing

@testable import StrataService

struct ProgressDeadlineTests {
    private func deadline() -> ProgressDeadline { ProgressDeadline(rate: 512, longestPause: .seconds(180), at: .zero) }

    @Test(arguments: [1024, 4096, 16_384])
    func `a steady reader lives, although its kernel takes 128 KiB at a time`(rate: Int) {
        var deadline = deadline()
        let step = 126_976
        for index in 0..<1000 {
            let now = Duration.seconds(index * step / rate)
            #expect(now < deadline.end)
            deadline.advance(by: step, at: now)
        }
    }

    @Test func `the deadline of a reader that stops is the longest pause after its last progress`() {
        var deadline = deadline()
        deadline.advance(by: 1_000_000_000, at: .seconds(10))
        #expect(deadline.end == .seconds(190))
    }

    @Test func `a reader below the minimum rate is cut, however regular it is`() {
        var deadline = deadline()
        var now = Duration.zero
        while now < deadline.end, now < .seconds(100_000) {
            now += .seconds(1)
            deadline.advance(by: 256, at: now)
        }
        #expect(now < .seconds(400))
    }
}
