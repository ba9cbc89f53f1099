import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct CallOptionsTests {
    /// States how it is called.
    private struct ShowSwell: RoutedEndpoint {
        static let route = Route.get("/v1/swell")
        typealias Response = TidePayload
        var options: CallOptions {
            CallOptions(
                attemptTimeout: .seconds(45), idleTimeout: .seconds(5), retry: .never,
                headers: ["X-Place": "endpoint", "X-Own": "1"])
        }
    }

    private struct AddSwell: RoutedEndpoint {
        static let route = Route.post("/v1/swell")
        typealias Response = TidePayload
        var options: CallOptions { CallOptions(headers: ["X-Own": "2"]) }
    }

    @Test func `a response and an upload without options have those of their endpoint`() async throws {
        let bench = try Bench(.json(tideJSON), .json(tideJSON, status: 201))
        let shown = try await bench.client.response(to: ShowSwell())
        let body = UploadBody.stream(length: 1, isReplayable: true, contentType: "text/csv") {
            ResponseBody(Data("a".utf8))
        }
        let added = try await bench.client.upload(AddSwell(), body: body)
        #expect([shown.value, added.value] == [tide, tide])
        #expect([shown.head.status, added.head.status] == [200, 201])
        #expect(bench.transport.requests.map { $0.headers["X-Own"] } == ["1", "2"])
        #expect(bench.transport.requests[1].headers["Content-Type"] == "text/csv")
    }

    @Test func `a call that must not be retried is sent once`() async throws {
        let bench = try Bench(.status(503), .json(tideJSON), resilience: .atOnce)
        let error = await bench.failure(of: ShowTide(), CallOptions(retry: .never))
        #expect(error.kindText.hasPrefix("server(503"))
        #expect(error.attempts.map(\.decision) == ["retries are off"])
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `not even a failed connection is retried then`() async throws {
        let bench = try Bench(.failure(.offline("refused")), .json(tideJSON), resilience: .atOnce)
        #expect(await bench.failure(of: ShowTide(), CallOptions(retry: .never)).kind == .offline("refused"))
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [(1, false), (4, false), (5, true), (20, true)])
    func `a call has its own number of attempts`(attempts: Int, succeeds: Bool) async throws {
        let bench = try Bench(
            .status(503), .failure(.offline("refused")), .status(503), .failure(.connectionLost("reset")),
            .json(tideJSON), resilience: .atOnce)
        let answer = try? await bench.client.send(ShowTide(), options: CallOptions(retry: .attempts(attempts)))
        #expect((answer == tide) == succeeds)
        #expect(bench.transport.requests.count == min(attempts, 5))
    }

    @Test(arguments: [0, -1, 21, .max])
    func `a number of attempts that cannot be made sends nothing`(attempts: Int) async throws {
        let bench = try Bench(.json(tideJSON))
        let error = await bench.failure(of: ShowTide(), CallOptions(retry: .attempts(attempts)))
        #expect(error.description.contains("\(attempts) attempts"))
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `a POST that is stated to be idempotent is retried without a key`() async throws {
        let bench = try Bench(.failure(.connectionLost("reset")), .json(tideJSON), resilience: .atOnce)
        #expect(try await bench.client.send(AddTide(), options: CallOptions(retry: .asIdempotent)) == tide)
        #expect(bench.transport.requests.map { $0.headers["Idempotency-Key"] } == [nil, nil])
    }

    @Test func `a GET that is stated not to be idempotent is retried only where nothing was sent`() async throws {
        let bench = try Bench(
            .failure(.offline("refused")), .failure(.connectionLost("reset")), .json(tideJSON), resilience: .atOnce)
        let error = await bench.failure(of: ShowTide(), CallOptions(retry: CallRetry(isIdempotent: false)))
        #expect(error.kind == .connectionLost("reset"))
        #expect(bench.transport.requests.count == 2)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `an idle timeout that no server meets sends nothing`(idle: Duration) async throws {
        let bench = try Bench(.json(tideJSON))
        let error = await bench.failure(of: ShowTide(), CallOptions(idleTimeout: idle))
        #expect(error.description.contains("idle timeout"))
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `an endpoint states options, and the call wins field by field`() async throws {
        let bench = try Bench(.status(503), then: .json(tideJSON), resilience: .atOnce)
        let options = CallOptions(attemptTimeout: .seconds(20), headers: ["x-place": "call"])
        let error = await bench.failure(of: ShowSwell(), options)
        #expect(error.kindText.hasPrefix("server(503"))
        let request = try #require(bench.transport.requests.first)
        #expect(request.context.attemptTimeout == .seconds(20))
        #expect(request.context.idleTimeout == .seconds(5))
        #expect(request.headers.values("X-Place") == ["call"])
        #expect(request.headers["X-Own"] == "1")
        #expect(try await bench.client.send(ShowSwell(), as: TidePayload.self) == tide)
        #expect(bench.transport.requests.last?.context.attemptTimeout == .seconds(45))
    }

    @Test func `options overlay each other like this`() {
        let stated = CallOptions(
            idempotencyKey: "k", deadline: .none, attemptTimeout: .seconds(1), idleTimeout: .seconds(2),
            retry: .attempts(3), headers: ["A": "1"])
        #expect(CallOptions().overlaying(stated) == stated)
        #expect(
            stated.overlaying(CallOptions(deadline: .seconds(9), retry: .attempts(9), headers: ["a": "2"])) == stated)
        #expect(CallOptions(retry: .asIdempotent).overlaying(stated).retry == .asIdempotent(attempts: 3))
        #expect(CallOptions(deadline: nil as Duration?).deadline == .inherited)
        #expect(CallOptions(deadline: .none).deadline == CallDeadline.none)
    }

    @Test func `equal reads with other retries or timeouts are not one`() async throws {
        let gate = Gate()
        let bench = try Bench(
            .held(by: gate, then: .json(tideJSON)), .json(tideJSON), .json(tideJSON), options: .standard)
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        #expect(try await bench.client.send(ShowTide(), options: CallOptions(retry: .never)) == tide)
        #expect(try await bench.client.send(ShowTide(), options: CallOptions(idleTimeout: .seconds(1))) == tide)
        gate.open()
        #expect(try await first == tide)
        #expect(bench.transport.requests.count == 3)
    }

    @Test func `a call without a deadline outlives that of the client`() async throws {
        let gate = Gate()
        let bench = try Bench(.held(by: gate, then: .json(tideJSON)))
        let options = CallOptions(deadline: .none, attemptTimeout: .seconds(3600))
        async let answer = bench.client.send(ShowTide(), options: options)
        await bench.transport.waitForCalls(1)
        await bench.clock.waitForSleeper(dueIn: .seconds(3600))
        bench.clock.advance(by: .seconds(3599))
        gate.open()
        #expect(try await answer == tide)
    }
}
