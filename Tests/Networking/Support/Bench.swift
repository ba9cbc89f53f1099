import Logging
import StrataDomain
import StrataNetworking
import StrataTesting
import Synchronization

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
        // Equal reads go out one by one, unless joining them is the point.
        let options = try options ?? ClientOptions(coalescesReads: false)
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

/// Keeps every event.
final class EventRecorder: Sendable {
    private let recorded = Mutex<[NetworkEvent]>([])

    var all: [NetworkEvent] { recorded.withLock { $0 } }
    var kinds: [NetworkEvent.Kind] { all.map(\.kind) }
    var sink: EventSink { { event in self.recorded.withLock { $0.append(event) } } }
}

/// A number that several tasks count.
final class Tally: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

extension NetworkError {
    /// The kind in words, to compare without `Equatable`.
    var kindText: String { "\(kind)" }
}
