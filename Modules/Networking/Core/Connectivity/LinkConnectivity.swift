public import StrataDomain

/// Online as far as the links, addresses and routes of this host go.
///
/// The kernel's notices only say when to look again; the state comes from a fresh look at all tables, so that nothing it
/// leaves out and nothing that is lost can make the state drift. Where the tables cannot be read the state is `.online`:
/// requests will find out.
public final class LinkConnectivity: ConnectivityMonitor {
    private let broadcast: ConnectivityBroadcast

    init(_ reach: Reach, source: any RouteSource, pace: LinkPace = .standard, time: MonotonicTime) {
        broadcast = ConnectivityBroadcast { publish in
            await LinkWatch(reach: reach, source: source, pace: pace, time: time, publish: publish).run()
        }
    }

    public func states() -> ConnectivityStates { broadcast.states() }
}

/// How calmly links are watched.
struct LinkPace: Sendable, Hashable {
    /// How long nothing may happen before a change counts. A link that comes up needs its address and route too.
    var settle: Duration
    /// A link that never rests is looked at this often all the same.
    var longest: Duration
    /// Wait before trying again when the tables could not be read.
    var retry: Duration

    static let standard = LinkPace(settle: .milliseconds(500), longest: .seconds(5), retry: .seconds(30))
}

/// One run of the watch, while there are observers.
struct LinkWatch: Sendable {
    let reach: Reach
    let source: any RouteSource
    let pace: LinkPace
    let time: MonotonicTime
    let publish: @Sendable (Connectivity) -> Void

    /// Looks, waits for a reason to look again, and so on until the task is cancelled.
    func run() async {
        guard reach != .thisHost else { return publish(.online) }
        var isKnown = false
        while !Task.isCancelled {
            do {
                try await watch { state in
                    isKnown = true
                    publish(state)
                }
            } catch {
                if !isKnown { publish(.online) }
            }
            try? await time.sleep(for: pace.retry)
        }
    }

    /// - Throws: When the tables cannot be read. Returns when there will be no more notices.
    private func watch(_ found: (Connectivity) -> Void) async throws {
        let hints = Hints()
        // Before the first look, so that nothing happens unseen between the two.
        let subscription = try source.subscribe { [reach] notice in
            if notice.mayChange(reach) { hints.add() }
            if notice == .ended { hints.finish() }
        }
        defer { subscription.cancel() }
        found(try await look(hints))
        for await _ in hints.stream {
            try await settle(hints)
            found(try await look(hints))
        }
    }

    /// Waits for a pause in what happens.
    private func settle(_ hints: Hints) async throws {
        let start = time.now
        var seen: Int
        repeat {
            seen = hints.count
            try await time.sleep(for: pace.settle)
        } while seen != hints.count && time.now - start < pace.longest
    }

    /// The state that all three tables give together.
    private func look(_ hints: Hints) async throws -> Connectivity {
        for _ in 1...3 {
            let dump = try await readTables()
            if !dump.isInterrupted { return dump.table.isOnline ? .online : .offline }
        }
        // It changes all the time: take it as it is, and look once more soon.
        hints.add()
        return try await readTables().table.isOnline ? .online : .offline
    }

    private func readTables() async throws -> RouteDump {
        let dump = Locked(RouteDump(reach))
        for (index, request) in RouteRequest.allCases.enumerated() {
            let sequence = UInt32(index + 1)
            try await source.ask(request.datagram(sequence: sequence)) { datagram throws(NetlinkFault) in
                try dump.take(datagram, sequence: sequence)
            }
        }
        return dump.value
    }
}

extension Locked<RouteDump> {
    fileprivate func take(_ datagram: [UInt8], sequence: UInt32) throws(NetlinkFault) -> Bool {
        try withLock { dump in Result { () throws(NetlinkFault) in try dump.take(datagram, sequence: sequence) } }.get()
    }
}

/// Reasons to look again: counted, and as a stream of which one waiting element is enough.
private final class Hints: Sendable {
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let total = Locked(0)

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var count: Int { total.value }

    func add() {
        total.withLock { $0 += 1 }
        continuation.yield()
    }

    func finish() { continuation.finish() }
}
