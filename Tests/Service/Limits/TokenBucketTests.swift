import StrataTesting
import Testing

@testable import StrataService

@Suite struct TokenBucketTests {
    private let start = Duration.seconds(100)

    @Test func `a burst is allowed at once, and then one call in each interval`() {
        let limit = RateLimit(burst: 3, perSecond: 2)
        var bucket = TokenBucket()
        #expect((0..<3).map { _ in bucket.take(limit, at: start).remaining } == [2, 1, 0])
        #expect(bucket.take(limit, at: start).wait == .milliseconds(500))
        #expect(bucket.take(limit, at: start + .milliseconds(499)).wait == .milliseconds(1))
        #expect(bucket.take(limit, at: start + .milliseconds(500)).wait == nil)
        #expect(bucket.take(limit, at: start + .milliseconds(500)).wait == .milliseconds(500))
    }

    @Test func `a quota has the remaining requests and the time until all return`() {
        let limit = RateLimit(burst: 10, perSecond: 4)
        #expect(limit.windowSeconds == 3)
        var bucket = TokenBucket()
        let first = bucket.take(limit, at: start)
        #expect((first.remaining, first.resetSeconds) == (9, 1))
        for _ in 0..<8 { _ = bucket.take(limit, at: start) }
        let last = bucket.take(limit, at: start)
        #expect((last.remaining, last.resetSeconds) == (0, 3))
    }

    @Test func `no more than burst and rate allow pass, whenever they come`() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let limit = RateLimit(
                burst: Int.random(in: 1...20, using: &random), perSecond: Double.random(in: 0.1...50, using: &random))
            var bucket = TokenBucket()
            var milliseconds = 0
            var passed: [Int] = []
            for _ in 0..<300 {
                milliseconds += Int.random(in: 0...100, using: &random)
                let quota = bucket.take(limit, at: start + .milliseconds(milliseconds))
                if quota.wait == nil { passed.append(milliseconds) }
            }
            for (index, first) in passed.enumerated() {
                for (count, last) in passed[index...].enumerated() {
                    let allowed = Double(limit.burst) + Double(last - first) / 1000 * limit.perSecond
                    #expect(Double(count + 1) <= allowed + 0.001)
                }
            }
        }
    }

    @Test(arguments: [(0, 1.0), (-1, 0), (.max, .infinity), (1, .nan), (1_000_000, 0.000001)])
    func `values outside their range become a valid limit`(burst: Int, perSecond: Double) {
        let limit = RateLimit(burst: burst, perSecond: perSecond)
        var bucket = TokenBucket()
        #expect(bucket.take(limit, at: start).wait == nil)
        #expect(limit.windowSeconds >= 0)
    }

    @Test(arguments: [(0, 1), (1, 1), (999, 1), (1000, 1), (1001, 2), (900_000, 900)])
    func `seconds to wait are whole and at least one`(milliseconds: Int, seconds: Int) {
        #expect(Duration.milliseconds(milliseconds).retryAfterSeconds == seconds)
    }
}
