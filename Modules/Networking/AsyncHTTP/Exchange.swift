import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// One request whose body is at hand, and its response: between the event loop and the task that waits for it.
///
/// The head wakes that task at once, while the event loop takes in what came along with it: waking takes as long.
final class Exchange: HTTPClientResponseDelegate {
    typealias Response = Void

    private struct State {
        var response = ExchangeState()
        /// Resumed with `false` when another reader waits already.
        var waiter: CheckedContinuation<Bool, Never>?
        /// Lets the connection be read on.
        var demand: EventLoopPromise<Void>?
        var task: HTTPClient.Task<Void>?
        var alarm: Alarm?
        var idleAlarm: Alarm?
    }

    private let headLimit: Deadline?
    private let bodyLimit: Deadline?
    private let idle: IdleTimeout?
    private let state = Mutex(State())

    init(headLimit: Deadline?, bodyLimit: Deadline?, idle: IdleTimeout?) {
        self.headLimit = headLimit
        self.bodyLimit = bodyLimit
        self.idle = idle
    }

    // MARK: What the task asks for

    /// Begins the exchange and waits for the head.
    ///
    /// - Parameter start: Called once, unless the task is cancelled or the time is up; calls `began`.
    func head(_ start: () -> Void) async throws -> HTTPResponseHead {
        guard !Task.isCancelled else { throw NetworkError(.cancelled) }
        guard headLimit.map({ !$0.hasPassed }) ?? true else { throw NetworkError(.timeout) }
        start()
        set(earlier(headLimit, bodyLimit))
        if let idle { watch(idle) }
        while true {
            if let head = state.withLock({ $0.response.arrivedHead }) { return try head.get() }
            try await wait { $0.arrivedHead == nil }
        }
    }

    /// Whether there is still something to begin or to go on with.
    var isOpen: Bool { state.withLock(\.response.isOpen) }

    /// - Parameter task: What is at work for this exchange now.
    func began(_ task: HTTPClient.Task<Void>) {
        let isOpen = state.withLock { state in
            if state.response.isOpen { state.task = task }
            return state.response.isOpen
        }
        // Either stopped already, or whole, to which this does nothing.
        if !isOpen { task.cancel() }
    }

    /// All bytes of the body that are there; waits where there are none.
    ///
    /// - Returns: `nil` at the end.
    func next() async throws -> Data? {
        while true {
            let (step, demand) = state.withLock { state in (state.response.read(), state.demand.take()) }
            if let demand {
                idle?.restart()
                demand.succeed()
            }
            switch step {
            case .chunks(let chunks):
                guard Task.isCancelled else { return Data(chunks) }
                stop(NetworkError(.cancelled))
                throw NetworkError(.cancelled)
            case .end: return nil
            case .failure(let error): throw error
            case .wait: try await wait { !$0.isReadable }
            }
        }
    }

    /// Ends the exchange, and closes the connection of one that is not whole.
    func close() {
        let error = NetworkError(.unexpected("a body was read after its response had been given back"))
        stop(error)
        // A body that completed or failed in the meantime cannot be read.
        let (alarm, idleAlarm) = state.withLock { state in
            state.response.discard(error)
            return (state.alarm.take(), state.idleAlarm.take())
        }
        alarm?.cancel()
        idleAlarm?.cancel()
    }

    /// - Parameter isNeeded: Whether there is still something to wait for.
    private func wait(while isNeeded: (ExchangeState) -> Bool) async throws {
        let isAlone = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    guard isNeeded(state.response) else { return true }
                    guard state.waiter == nil else { return false }
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            stop(NetworkError(.cancelled))
        }
        guard isAlone else { throw NetworkError(.unexpected("a body has two readers")) }
    }

    // MARK: What ends it

    private func earlier(_ one: Deadline?, _ other: Deadline?) -> Deadline? {
        guard let one, let other else { return one ?? other }
        return other.comesBefore(one) ? other : one
    }

    private func set(_ limit: Deadline?) {
        guard let alarm = limit?.alarm({ self.expire() }) else { return }
        let unneeded = state.withLock { state in
            guard state.response.isOpen else { return Alarm?.some(alarm) }
            defer { state.alarm = alarm }
            return state.alarm
        }
        unneeded?.cancel()
    }

    private func expire() {
        let hasHead = state.withLock { $0.response.head != nil }
        guard let limit = hasHead ? bodyLimit : headLimit else { return }
        if limit.hasPassed { stop(NetworkError(.timeout)) } else { set(limit) }
    }

    /// Ends the exchange at the idle timeout, which moves with each part that arrives.
    private func watch(_ idle: IdleTimeout) {
        let alarm = idle.end.alarm { [self] in
            guard idle.end.hasPassed else { return watch(idle) }
            // What had arrived can still be read.
            end { response in
                let isOpen = response.isOpen
                response.fail(NetworkError(.timeout))
                return isOpen
            }
        }
        let isOpen = state.withLock { state in
            guard state.response.isOpen else { return false }
            state.idleAlarm = alarm
            return true
        }
        if !isOpen { alarm.cancel() }
    }

    private func stop(_ error: NetworkError) { end { $0.stop(error) } }

    /// - Parameter ending: Returns whether the connection was at work, and has to be closed.
    private func end(_ ending: (inout ExchangeState) -> Bool) {
        let (task, demand, waiter) = state.withLock { state in
            guard ending(&state.response) else {
                return (
                    HTTPClient.Task<Void>?.none, EventLoopPromise<Void>?.none, CheckedContinuation<Bool, Never>?.none
                )
            }
            return (state.task.take(), state.demand.take(), state.waiter.take())
        }
        task?.cancel()
        demand?.fail(HTTPClientError.cancelled)
        waiter?.resume(returning: true)
    }

    // MARK: What the event loop tells

    // The body follows at once, and counts: it is at hand, so it is small.
    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) { idle?.restart() }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        idle?.restart()
        change { $0.response.receive(head) }
        if let bodyLimit, bodyLimit.hasPassed { stop(NetworkError(.timeout)) }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        change { state in
            guard state.response.isOpen else { return task.eventLoop.makeFailedFuture(HTTPClientError.cancelled) }
            state.response.receive(buffer)
            guard state.response.isFull else {
                idle?.restart()
                return task.eventLoop.makeSucceededVoidFuture()
            }
            // Backpressure: the server waits for the reader from here on.
            idle?.pause()
            let demand = task.eventLoop.makePromise(of: Void.self)
            state.demand = demand
            return demand.futureResult
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        change { state in
            state.response.finish()
            state.task = nil
        }
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        let demand = change { state in
            state.response.fail(NetworkError(transport: error))
            state.task = nil
            return state.demand.take()
        }
        demand?.succeed()
    }

    /// Changes the state and wakes the waiting task.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, waiter) = state.withLock { state in
            let result = body(&state)
            return (result, state.response.arrivedHead == nil ? nil : state.waiter.take())
        }
        waiter?.resume(returning: true)
        return result
    }
}

extension Data {
    fileprivate init(_ chunks: [ByteBuffer]) {
        guard chunks.count != 1 else {
            self.init(chunks[0].readableBytesView)
            return
        }
        self.init(capacity: chunks.reduce(0) { $0 + $1.readableBytes })
        for chunk in chunks { append(contentsOf: chunk.readableBytesView) }
    }
}
