import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct StepTests {
    private let trail = StepTrail()

    @Test func `steps begin from the outside, and look at the answer and hear of its end from the inside`() async throws
    {
        try await send(through: probe("a").around(probe("b")).around(probe("c")), .status(200))
        #expect(trail.text == "+a +b +c 200c 200b 200a receive -c -b -a")
    }

    @Test func `an inner step that sends again leaves the outer ones as they are`() async throws {
        try await send(through: probe("a").around(probe("b", again: 1)), .status(200), .status(200))
        #expect(trail.text == "+a +b 200b 200a receive b! +b 200b 200a receive -b -a")
    }

    @Test func `an outer step that sends again begins the inner ones anew`() async throws {
        try await send(through: probe("a", again: 1).around(probe("b")).around(probe("c")), .status(200), .status(200))
        #expect(trail.text == "+a +b +c 200c 200b 200a receive -c -b a! +a +b +c 200c 200b 200a receive -c -b -a")
    }

    @Test func `what an inner step refuses, the outer one may send again`() async throws {
        try await send(through: probe("a", again: 1).around(probe("b", refusals: 1)), .status(200))
        #expect(trail.text == "+a xb a! +a +b 200b 200a receive -b -a")
    }

    @Test func `an answer that is kept is drained, and those outside do not see it`() async throws {
        try await send(through: probe("a").around(probe("b", keeps: 503, again: 1)), .status(503), .status(200))
        #expect(trail.text == "+a +b 503b b! +b 200b 200a receive -b -a")
    }

    @Test func `a failure is heard by every step, innermost first`() async throws {
        await #expect(throws: NetworkError.self) {
            try await send(through: probe("a").around(probe("b")), .failure(.connectionLost("cut")))
        }
        #expect(trail.text == "+a +b -b -a")
    }

    /// Whatever refuses, fails and sends again: what has begun ends, once, before it begins again.
    @Test(arguments: 0..<200)
    func `each beginning has one end`(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let names = ["a", "b", "c", "d"]
        let probes = names.map { name in
            probe(
                name, keeps: [503, nil].randomElement(using: &random) ?? nil,
                again: Int.random(in: 0...2, using: &random), refusals: Int.random(in: 0...1, using: &random))
        }
        let answers = (0..<200).map { _ -> ScriptedTransport.Answer in
            Bool.random(using: &random)
                ? .status([200, 503].randomElement(using: &random) ?? 200)
                : .failure(.connectionLost("cut"))
        }
        let steps = probes[0].around(probes[1]).around(probes[2].around(probes[3]))
        _ = try? await send(through: steps, answers)
        for name in names {
            let own = trail.marks.filter { ["+\(name)", "-\(name)", "\(name)!"].contains($0) }
            let begun = own.enumerated().allSatisfy { place, mark in mark.hasPrefix("+") == (place % 2 == 0) }
            #expect(begun && own.count % 2 == 0, "\(name): \(trail.text)")
        }
    }

    private func probe(_ name: String, keeps: Int? = nil, again: Int = 0, refusals: Int = 0) -> Probe {
        Probe(name: name, trail: trail, keeps: keeps, again: Shared(again), refusals: Shared(refusals))
    }

    private func send(through step: some Step, _ answers: ScriptedTransport.Answer...) async throws {
        try await send(through: step, answers)
    }

    private func send(through step: some Step, _ answers: [ScriptedTransport.Answer]) async throws {
        let time = MonotonicTime(ManualClock())
        let context = CallContext(requestId: "r", summary: "GET /", deadline: Deadline(in: .seconds(1), on: time))
        let request = ClientRequest(.get, try HTTPURL("http://tides.test"), context: context)
        let transport = ScriptedTransport(then: .status(200))
        for answer in answers { transport.append(answer) }
        let pipeline = Pipeline([Link(step)], transport: transport)
        try await pipeline.send(request) { [trail] _ in trail.add("receive") }
    }
}

/// What happened, in order.
private final class StepTrail: Sendable {
    private let state = Mutex<[String]>([])
    var marks: [String] { state.withLock(\.self) }
    var text: String { marks.joined(separator: " ") }
    func add(_ mark: String) { state.withLock { $0.append(mark) } }
}

/// Writes down what it is told: `+` begun, `x` refused, the status it saw, `-` ended, `!` sent again.
private struct Probe: Step {
    let name: String
    let trail: StepTrail
    let keeps: Int?
    let again: Shared<Int>
    let refusals: Shared<Int>

    func begin(_ request: inout ClientRequest) throws -> ClientRequest {
        if take(refusals) {
            trail.add("x\(name)")
            throw NetworkError(.offline("refused"))
        }
        trail.add("+\(name)")
        return request
    }

    func pass(_ response: inout ClientResponse, _ request: inout ClientRequest) -> Bool {
        trail.add("\(response.head.status)\(name)")
        return response.head.status != keeps
    }

    func end(_ request: inout ClientRequest, _ error: (any Error)?) throws -> ClientRequest? {
        if take(again) {
            trail.add("\(name)!")
            trail.add("+\(name)")
            return request
        }
        trail.add("-\(name)")
        if let error { throw error }
        return nil
    }

    private func take(_ count: Shared<Int>) -> Bool {
        count.change { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }
}
