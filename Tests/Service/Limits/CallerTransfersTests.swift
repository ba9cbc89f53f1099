import StrataDomain
import Testing

@testable import StrataService

struct CallerTransfersTests {
    @Test func `one caller's transfers leave places to others, and end with their values`() throws {
        let transfers = CallerTransfers(limit: 2)
        var held: [CallerTransfers.Place] = []
        for _ in 0..<2 { held.append(try transfers.take(for: "user:a")) }
        let error = #expect(throws: ServiceError.self) { try transfers.take(for: "user:a") }
        #expect(error?.problem.status == 429)
        #expect(error?.headers["Retry-After"] == "1")
        held.append(try transfers.take(for: "user:b"))
        held.removeFirst()
        held.append(try transfers.take(for: "user:a"))
        #expect(throws: ServiceError.self) { try transfers.take(for: "user:a") }
    }
}
