import StrataDomain
import Testing

@testable import StrataService

struct PermitsTests {
    @Test func `the permits of one key leave those of another, and return with their values`() {
        let permits = Permits(limit: 2)
        var held = (0..<2).compactMap { _ in permits.take(for: "user:a") }
        #expect(held.count == 2)
        #expect(permits.take(for: "user:a") == nil)
        #expect(permits.take(for: "user:b") != nil)
        held.removeFirst()
        held += [permits.take(for: "user:a")].compactMap { $0 }
        #expect(held.count == 2)
        #expect(permits.take(for: "user:a") == nil)
    }

    @Test func `a caller without a permit gets 429 with Retry-After`() {
        let error = ServiceError.tooManyTransfers(limit: 32)
        #expect(error.problem.status == 429)
        #expect(error.problem.code == "too_many_transfers")
        #expect(error.headers["Retry-After"] == "1")
    }
}
