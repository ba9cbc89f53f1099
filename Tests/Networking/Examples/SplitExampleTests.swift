import StrataDomain
import StrataTesting
import Testing

struct SplitExampleTests {
    private let server = MockAPIClient()
    private var berths: BerthClient { BerthClient(client: server) }

    @Test func `payloads become values of the program at the edge`() async throws {
        server.on(ListBerths.self) { _, _ in [BerthPayload(name: "A1", draughtCm: 420, state: "FREE")] }

        #expect(try await berths.list(page: 1, limit: 20) == [Berth(name: "A1", draught: 4.2, isFree: true)])
        #expect(server.calls(to: ListBerths.self).map(\.page) == [1])
    }

    @Test func `what the program does not know is an error with the value, and an outage an outage`() async {
        server.on(ListBerths.self) { _, _ in [BerthPayload(name: "A1", draughtCm: 420, state: "SUNK")] }
        await #expect(
            throws: DomainError.validation("The berth 'A1' has the unknown state 'SUNK'; update this program.")
        ) {
            try await berths.list(page: 1, limit: 20)
        }
        server.fail(ListBerths.self, .offline("refused"))
        let error = await #expect(throws: DomainError.self) { try await berths.list(page: 1, limit: 20) }
        #expect(error?.kind == .unavailable)
    }
}
