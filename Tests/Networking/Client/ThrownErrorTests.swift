import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// An error of the caller's own code inside of a call comes back as itself.
struct ThrownErrorTests {
    private struct ImportError: LocalizedError, Equatable {
        var why: String
        var errorDescription: String? { why }
    }

    private struct Plain: Error { var path = "/home/ann/secret" }

    private struct Refusing: Interceptor {
        let error: any Error
        func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
            throw error
        }
    }

    private func thrown(_ error: any Error, password: String = "unused") async throws -> NetworkError {
        let bench = try Bench(.chunks([Data("ab".utf8)]))
        do throws(NetworkError) {
            try await bench.client.stream(
                ShowTide(), options: CallOptions(headers: ["X-Api-Key": password])
            ) { _, _ in throw error }
            return NetworkError(.unexpected("the call succeeded"))
        } catch { return error }
    }

    @Test func `an error of the closure of a stream is there as itself, with its own text`() async throws {
        let error = try await thrown(ImportError(why: "row 3 is bad"))
        #expect(error.underlying as? ImportError == ImportError(why: "row 3 is bad"))
        #expect(error.description == "GET /v1/tides/bar: row 3 is bad")
        #expect(error.localizedDescription == "Row 3 is bad.")
        #expect(error.attempts.map(\.outcome) == ["unexpected"])
        #expect(DomainError(error) == .unexpected("Row 3 is bad"))
    }

    @Test func `its text has no secret of the call, and neither does a dump`() async throws {
        let key = Canary("key")
        let error = try await thrown(ImportError(why: "server said \(key.text)"), password: key.text)
        #expect(error.description.hasSuffix("server said <redacted>"))
        var sinks = Sinks()
        sinks.add(value: error, as: "error")
        #expect(sinks.leaks(of: [key]) == [])
        #expect((error.underlying as? ImportError)?.why.contains(key.text) == true, "code reads the value itself")
    }

    @Test func `of an error that states no text only the type is shown`() async throws {
        let error = try await thrown(Plain())
        #expect(error.underlying is Plain)
        #expect(error.description == "GET /v1/tides/bar: unexpected: Plain")
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("/home/ann"))
    }

    @Test func `a domain error comes through both translations`() async throws {
        #expect(DomainError(try await thrown(DomainError.conflict("It was changed."))) == .conflict("It was changed."))
    }

    @Test func `a cancellation and a network error are what they are`() async throws {
        let cancelled = try await thrown(CancellationError())
        #expect(cancelled.kind == .cancelled && cancelled.underlying == nil)
        let timeout = try await thrown(NetworkError(.timeout))
        #expect(timeout.kind == .timeout && timeout.underlying == nil)
    }

    @Test func `an interceptor throws its own error, which is not retried`() async throws {
        let transport = ScriptedTransport(.json(tideJSON))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: transport, resilience: Resilience(clock: ManualClock()),
            attemptInterceptors: [Refusing(error: ImportError(why: "no key"))], logger: LogRecorder().logger())
        let error = await #expect(throws: NetworkError.self) { try await client.send(ShowTide()) }
        #expect(error?.underlying as? ImportError == ImportError(why: "no key"))
        #expect(error?.attempts.count == 1)
        #expect(transport.requests.isEmpty)
    }

    @Test func `the clients for tests give it back as well`() async throws {
        let mock = MockAPIClient()
        mock.on(ShowTide.self) { _, _ in throw ImportError(why: "row 3 is bad") }
        let error = await #expect(throws: NetworkError.self) { try await mock.send(ShowTide()) }
        #expect(error?.underlying as? ImportError == ImportError(why: "row 3 is bad"))
    }
}
