import FoundationEssentials
import StrataDomain
import StrataTesting

/// The connection from one device to the server. It delays, loses and repeats messages.
// Sendable proof: only the thread of the scheduler touches it.
final class SimulatedLink: APIClient, @unchecked Sendable {
    let world: World
    let device: Device
    private let path: SimulatedPath

    init(world: World, device: Device, life: Life) {
        self.world = world
        self.device = device
        path = SimulatedPath(run: world, device: device, life: life)
    }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        let patience = options.attemptTimeout ?? .seconds(10)
        let answer: Any
        switch endpoint {
        case let push as PushMutations:
            let world = world
            answer = try await path.exchange("push \(push.batch.mutations.count)", patience) { reply in
                if world.bug == .blockingPoison, world.server.isPoisoned(push.batch) {
                    return reply(.failure(NetworkError(.server(503, nil))))
                }
                reply(world.server.push(push.batch).map { $0 })
            }
        case let pull as PullChanges:
            answer = try await path.exchange("pull", patience) { [world] reply in Self.answer(pull, world, reply) }
        case is FetchDigest:
            let server = world.server
            answer = try await path.exchange("digest", patience) { reply in reply(.success(server.digest())) }
        default: throw NetworkError(.notFound(nil))
        }
        guard let value = altered(answer) as? E.Response else { throw NetworkError(.unexpected("no such answer")) }
        return APIResponse(head: ResponseHead(status: 200), value: value)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        guard let call = endpoint as? FetchSnapshot else { throw NetworkError(.notFound(nil)) }
        guard call.bucket != nil || world.offersSnapshots else { throw NetworkError(.notFound(nil)) }
        let text = try await snapshot(call)
        // Until the faults end, some responses are cut at any byte.
        let bytes = Array(text.utf8)
        let isHealthy = !world.offersSnapshots || world.now >= .milliseconds(Plan.faults)
        let isCut = !isHealthy && world.number(0..<4) == 0
        let count = isCut ? world.number(0..<bytes.count) : bytes.count
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        for start in stride(from: 0, to: count, by: 50) {
            continuation.yield(Data(bytes[start..<min(start + 50, count)]))
        }
        continuation.finish(throwing: isCut ? NetworkError(.connectionLost("cut")) : nil)
        do { return try await receive(ResponseHead(status: 200), chunks) } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.unexpected("\(error)"))
        }
    }

    private func snapshot(_ call: FetchSnapshot) async throws(NetworkError) -> String {
        let server = world.server
        let name = call.bucket != nil ? "snapshot" : call.page.map { "snapshot from \($0)" } ?? "whole snapshot"
        let answer = try await path.exchange(name, .seconds(10)) { reply in reply(server.snapshot(call).map { $0 }) }
        guard let text = answer as? String else { throw NetworkError(.unexpected("no snapshot")) }
        return text
    }

    private static func answer(
        _ pull: PullChanges, _ world: World, _ reply: @escaping (Result<Any, NetworkError>) -> Void
    ) {
        let page = world.server.pull(pull)
        guard let wait = pull.wait, wait > 0, case .success(let value) = page, value.changes.isEmpty else {
            return reply(page.map { $0 })
        }
        var isOpen = true
        let end = {
            guard isOpen else { return }
            isOpen = false
            reply(world.server.pull(pull).map { $0 })
        }
        world.server.wait(end)
        world.scheduler.after(.seconds(wait), end)
    }

    // MARK: - Planted bugs

    private func altered(_ answer: Any) -> Any {
        guard var page = answer as? ChangesPage else { return answer }
        switch world.bug {
        case .shortPage: if page.changes.count > 1 { page.changes.removeLast() }
        case .deafToDeletions: page.changes.removeAll { $0.operation == .delete }
        case .clockDecides: page.changes.removeAll { $0.updatedAt < device.wallClock.now }
        default: break
        }
        return page
    }
}

/// The way of messages between one process of a device and the server. It delays, loses and repeats them.
// Sendable proof: only the thread of the scheduler touches it.
final class SimulatedPath: @unchecked Sendable {
    let run: Run
    let device: Machine
    let life: Life

    init(run: Run, device: Machine, life: Life) { (self.run, self.device, self.life) = (run, device, life) }

    /// Sends a request to `serve`, which responds now or later, and waits for the response.
    func exchange(
        _ name: String, _ patience: Duration, _ serve: @escaping (@escaping (Result<Any, NetworkError>) -> Void) -> Void
    ) async throws(NetworkError) -> Any {
        if !life.isAlive || Task.isCancelled { throw NetworkError(.cancelled) }
        let (world, device) = (run, device)
        let slot = ReplySlot()
        // The request is refused at once, or lost.
        if device.isCut(\.requests), world.number(0..<2) == 0 { throw NetworkError(.offline("no route")) }
        let result: Result<Any, NetworkError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                slot.continuation = continuation
                if Task.isCancelled { return slot.end(.failure(NetworkError(.cancelled))) }
                slot.timer = world.scheduler.after(patience) { slot.end(.failure(NetworkError(.timeout))) }
                let isStormy = world.now < device.stormUntil
                let copies = isStormy && world.number(0..<3) == 0 ? 2 : 1
                for copy in 0..<copies {
                    if isStormy, world.number(0..<4) == 0 { continue }
                    let delay = world.number(5..<400) + copy * world.number(0..<15_000)
                    let generation = world.generation
                    world.scheduler.after(.milliseconds(delay)) { [self] in
                        guard !device.isCut(\.requests), world.generation == generation else { return }
                        world.note("\(device.name) \(name) arrives")
                        serveOnce(serve) { answer in self.sendBack(answer, to: slot, generation) }
                    }
                }
            }
        } onCancel: {
            slot.end(.failure(NetworkError(.cancelled)))
        }
        if let timer = slot.timer { world.scheduler.cancel(timer) }
        if !life.isAlive { throw NetworkError(.cancelled) }
        return try result.get()
    }

    private func serveOnce(
        _ serve: (@escaping (Result<Any, NetworkError>) -> Void) -> Void,
        _ reply: @escaping (Result<Any, NetworkError>) -> Void
    ) {
        if run.now < device.tokenExpiredUntil {
            return reply(.failure(Self.refused(.unauthorized(nil))))
        }
        if let failure = run.failure, run.now < failure.until, run.number(0..<4) > 0 {
            return reply(.failure(Self.refused(Self.kind(failure.status))))
        }
        serve(reply)
    }

    private func sendBack(_ answer: Result<Any, NetworkError>, to slot: ReplySlot, _ generation: Int) {
        if run.now < device.stormUntil, run.number(0..<4) == 0 { return }
        run.scheduler.after(.milliseconds(run.number(5..<400))) { [run, device] in
            guard !device.isCut(\.answers), run.generation == generation else { return }
            slot.end(answer)
        }
    }

    /// An error response of the server. Its attempt distinguishes it from an error of the client.
    private static func refused(_ kind: NetworkError.Kind) -> NetworkError {
        NetworkError(kind, attempts: [.init(number: 1, outcome: "refused", decision: "final", duration: .zero)])
    }

    private static func kind(_ status: Int) -> NetworkError.Kind {
        switch status {
        case 429: .rateLimited(retryAfter: .seconds(3))
        case 408: .status(408, nil)
        default: .server(status, nil)
        }
    }
}

// Sendable proof: only the thread of the scheduler touches it.
private final class ReplySlot: @unchecked Sendable {
    var continuation: CheckedContinuation<Result<Any, NetworkError>, Never>?
    var timer: Int?

    func end(_ answer: Result<Any, NetworkError>) {
        nonisolated(unsafe) let answer = answer
        continuation?.resume(returning: answer)
        continuation = nil
    }
}
