import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct StreamTests {
    @Test func `hands over the bytes as they come`() async throws {
        let bench = try Bench(.chunks([Data("ab".utf8), Data("cd".utf8)]))
        #expect(try await bench.client.bytes(ShowTide(), upTo: 4) == Data("abcd".utf8))
    }

    @Test func `bytes over the limit are refused`() async throws {
        let bench = try Bench(.chunks([Data("ab".utf8), Data("cd".utf8)]))
        await #expect(throws: NetworkError.self) { try await bench.client.bytes(ShowTide(), upTo: 3) }
    }

    @Test func `a failing status never reaches the reader`() async throws {
        let bench = try Bench(.json(#"{"detail":"No such tide."}"#, status: 404))
        let reads = CallCounter()
        let error = await #expect(throws: NetworkError.self) {
            try await bench.client.stream(ShowTide(), options: CallOptions()) { _, _ in reads.increment() }
        }
        #expect(error?.problem?.detail == "No such tide.")
        #expect(reads.value == 0)
    }

    @Test func `a stream that broke after it began is not begun again`() async throws {
        let bench = try Bench(
            .chunks([Data("ab".utf8)], then: NetworkError(.connectionLost("reset"))), .chunks([Data("xy".utf8)]))
        let error = await #expect(throws: NetworkError.self) { try await bench.client.bytes(ShowTide(), upTo: 100) }
        #expect(error?.kindText.hasPrefix("connectionLost") == true)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a collected answer that broke in its body is asked for again`() async throws {
        let bench = try Bench(
            .chunks([Data("{".utf8)], then: NetworkError(.connectionLost("reset"))), .json(tideJSON))
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        #expect(try await answer == tide)
    }

    @Test func `an error of the reader shows its type, not its text`() async throws {
        struct DiskFull: Error { let path = "/home/ann/secret" }
        let bench = try Bench(.chunks([Data("ab".utf8)]))
        let error = await #expect(throws: NetworkError.self) {
            try await bench.client.stream(ShowTide(), options: CallOptions()) { _, _ in throw DiskFull() }
        }
        #expect(error?.description.contains("DiskFull") == true)
        #expect(error?.description.contains("secret") == false)
        #expect(bench.transport.requests.count == 1)
    }
}
