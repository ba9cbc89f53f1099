import Testing

@testable import StrataService

struct TransferPaceTests {
    private func pace() -> TransferPace { TransferPace(rate: 512, longestPause: .seconds(180), at: .zero) }

    @Test(arguments: [1024, 4096, 16_384])
    func `a steady reader lives, although its kernel takes 128 KiB at a time`(rate: Int) {
        var pace = pace()
        let step = 126_976
        for index in 0..<1000 {
            let now = Duration.seconds(index * step / rate)
            #expect(now < pace.end)
            pace.moved(step, at: now)
        }
    }

    @Test func `a reader that stops is cut after the longest pause, whatever it took before`() {
        var pace = pace()
        pace.moved(1_000_000_000, at: .seconds(10))
        #expect(pace.end == .seconds(190))
    }

    @Test func `a reader below the minimum rate is cut, however regular it is`() {
        var pace = pace()
        var now = Duration.zero
        while now < pace.end, now < .seconds(100_000) {
            now += .seconds(1)
            pace.moved(256, at: now)
        }
        #expect(now < .seconds(400))
    }

    @Test func `a reader that takes nothing is cut after the longest pause`() {
        #expect(pace().end == .seconds(180))
    }
}
