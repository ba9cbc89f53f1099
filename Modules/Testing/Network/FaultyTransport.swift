import StrataConcurrency
import StrataDomain
public import StrataNetworking

/// Lets some calls of another transport fail, by a seed: the same seed fails the same calls in the same way.
///
/// What happens to a call depends on the seed and on its number only, so the order in which others end does not matter.
public final class FaultyTransport: Transport {
    /// One way to fail.
    public enum Fault: Sendable, Hashable {
        /// Nothing was sent.
        case refused
        /// The server has done its work, and its answer is lost: the caller cannot know.
        case dropped
        /// The answer comes later, and whole.
        case delayed(Duration)
        /// An answer of status 500 to 599 from an intermediary; the server was not asked.
        case serverError(Int)
        /// A 429 that asks to wait for these seconds; the server was not asked.
        case rateLimited(seconds: Int)
        /// The connection ends after this many bytes of the body.
        case truncated(Int)
        /// The connection is reset after this many bytes of the body.
        case reset(Int)
    }

    /// What became of one call.
    public struct Event: Sendable, Hashable {
        /// From 1, in the order in which the calls arrived.
        public let number: Int
        /// Method and path.
        public let request: String
        /// `nil` for a call that was let through.
        public let fault: Fault?
    }

    private let base: any Transport
    private let clock: any Clock<Duration>
    private let plan: @Sendable (_ number: Int) -> Fault?
    private let log = Mutex<[Event]>([])

    /// - Parameters:
    ///   - rate: Part of the calls that fail, 0 to 1.
    ///   - faults: Those to choose from, each as likely as the others. None: every call is let through.
    ///   - clock: Measures the delays.
    public convenience init(
        _ base: any Transport, seed: UInt64, rate: Double, faults: [Fault] = Fault.usual, clock: any Clock<Duration>
    ) {
        self.init(base, clock: clock) { number in
            var random = SeededRandom(seed: seed &+ UInt64(number) &* 0xD134_2543_DE82_EF95)
            guard Double.random(in: 0..<1, using: &random) < rate else { return nil }
            return faults.randomElement(using: &random)
        }
    }

    /// - Parameter plan: What happens to the call of this number, from 1; `nil` lets it through.
    public init(
        _ base: any Transport, clock: any Clock<Duration>, plan: @escaping @Sendable (_ number: Int) -> Fault?
    ) {
        self.base = base
        self.clock = clock
        self.plan = plan
    }

    /// Lets the first calls take effect and loses their answers.
    public convenience init(_ base: any Transport, losingAnswers count: Int) {
        self.init(base, clock: ContinuousClock()) { $0 <= count ? .dropped : nil }
    }

    /// Every call so far, in the order of arrival.
    public var events: [Event] { log.withLock { $0 } }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let fault = log.withLock { log in
            let number = log.count + 1
            let fault = plan(number)
            log.append(Event(number: number, request: request.summary, fault: fault))
            return fault
        }
        switch fault {
        case nil: try await base.send(request, receive: receive)
        case .refused: throw NetworkError(.offline("connection refused (injected)"))
        case .dropped:
            try await base.send(request) { await $0.body.drain() }
            throw NetworkError(.connectionLost("the answer was lost (injected)"))
        case .delayed(let delay):
            do { try await clock.sleep(for: delay) } catch { throw NetworkError(.cancelled) }
            try await base.send(request, receive: receive)
        case .serverError(let status): try await receive(ClientResponse(ResponseHead(status: status)))
        case .rateLimited(let seconds):
            try await receive(
                ClientResponse(ResponseHead(status: 429, headers: [FieldName.retryAfter: "\(seconds)"])))
        case .truncated(let count):
            try await base.send(request) {
                try await receive($0.broken(after: count, "the connection was closed in mid-message (injected)"))
            }
        case .reset(let count):
            try await base.send(request) {
                try await receive($0.broken(after: count, "the connection was reset at byte \(count) (injected)"))
            }
        }
    }
}

extension FaultyTransport.Fault {
    /// One of each kind.
    public static let usual: [FaultyTransport.Fault] = [
        .refused, .dropped, .delayed(.seconds(2)), .serverError(503), .rateLimited(seconds: 1), .truncated(5),
        .reset(0),
    ]
}
