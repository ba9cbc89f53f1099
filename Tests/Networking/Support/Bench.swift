import Logging
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting

/// A client with everything injected: time stands still, jitter is one half, the transport follows a script.
struct Bench {
    let clock = ManualClock()
    let wallClock = ManualWallClock()
    let transport: ScriptedTransport
    let events = EventRecorder()
    let logs = LogRecorder()
    let resilience: Resilience
    let client: HTTPAPIClient

    init(
        _ script: ScriptedTransport.Answer..., then fallback: ScriptedTransport.Answer? = nil,
        base: String = "http://tides.test", auth: AuthStyle = .none, resilience limits: ResilienceOptions = .standard,
        options: ClientOptions? = nil, cache: [any Interceptor] = []
    ) throws {
        // Equal reads go out one by one, unless joining them is the point; the server is told about each call.
        let options = try options ?? ClientOptions(coalescesReads: false, callFields: .all)
        transport = ScriptedTransport(then: fallback)
        for answer in script { transport.append(answer) }
        resilience = Resilience(limits, clock: clock, wallClock: wallClock, random: { 0.5 })
        client = try HTTPAPIClient(
            baseURL: HTTPURL(base), transport: transport, auth: auth, resilience: resilience, options: options,
            cache: cache, logger: logs.logger(), events: events.sink)
    }

    /// Without retries, for tests about something else.
    static func plain(
        _ script: ScriptedTransport.Answer..., base: String = "http://tides.test", auth: AuthStyle = .none,
        options: ClientOptions? = nil
    ) throws -> Bench {
        let bench = try Bench(base: base, auth: auth, resilience: ResilienceOptions(retry: .never), options: options)
        for answer in script { bench.transport.append(answer) }
        return bench
    }

    /// The failure of a call; records an issue-worthy error when it succeeds.
    func failure<E: Endpoint>(of endpoint: E, _ options: CallOptions = CallOptions()) async -> NetworkError {
        do {
            _ = try await client.send(endpoint, options: options)
            return NetworkError(.unexpected("the call succeeded"))
        } catch {
            return error
        }
    }
}

extension Bench {
    /// Returns once `count` calls share the answer of another.
    func waitForJoined(_ count: Int) async {
        await events.wait { events in
            events.count { if case .joined = $0.kind { true } else { false } } >= count
        }
    }
}

extension ResilienceOptions {
    /// Retries without a wait.
    static var atOnce: ResilienceOptions {
        get throws { try ResilienceOptions(retry: RetryPolicy(attempts: 3, baseDelay: .zero)) }
    }
}

/// Keeps every event.
final class EventRecorder: Sendable {
    private struct State {
        var events: [NetworkEvent] = []
        var watchers: [(isMet: @Sendable ([NetworkEvent]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var all: [NetworkEvent] { state.withLock(\.events) }
    var kinds: [NetworkEvent.Kind] { all.map(\.kind) }
    var sink: EventSink { { event in self.record(event) } }

    /// Returns once the events so far are what `isMet` looks for.
    func wait(until isMet: @escaping @Sendable ([NetworkEvent]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state.events) { return true }
                state.watchers.append((isMet, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    private func record(_ event: NetworkEvent) {
        let met = state.withLock { state in
            state.events.append(event)
            let events = state.events
            let met = state.watchers.filter { $0.isMet(events) }.map(\.continuation)
            state.watchers.removeAll { $0.isMet(events) }
            return met
        }
        for continuation in met { continuation.resume() }
    }
}

extension NetworkError {
    /// The case with its payload in words, to compare a case whatever its payload is.
    var kindText: String { "\(kind)" }
}
