import Synchronization

/// Lets a fixed number of attempts per origin run at once; the others wait in order, bounded by their deadline.
struct ConcurrencyLimitInterceptor: Step {
    let limiter: OriginLimiter

    struct Notes: Sendable {
        let origin: Origin
        let semaphore: FairSemaphore
    }

    func begin(_ request: inout ClientRequest) async throws -> Notes {
        let origin = request.url.origin
        let semaphore = limiter.borrow(origin)
        do { try await semaphore.enter(by: request.context.deadline) } catch {
            limiter.giveBack(origin)
            throw error
        }
        return Notes(origin: origin, semaphore: semaphore)
    }

    func end(_ notes: inout Notes, _ error: (any Error)?) throws -> ClientRequest? {
        notes.semaphore.leave()
        limiter.giveBack(notes.origin)
        if let error { throw error }
        return nil
    }
}

/// A semaphore for each origin in use; one that nobody uses is forgotten.
final class OriginLimiter: Sendable {
    private let limit: Int
    private let entries = Mutex<[Origin: Entry]>([:])

    private struct Entry {
        let semaphore: FairSemaphore
        var users: Int
    }

    init(limit: Int) { self.limit = limit }

    /// Origins in use now.
    var count: Int { entries.withLock(\.count) }

    func borrow(_ origin: Origin) -> FairSemaphore {
        entries.withLock { entries in
            if let place = entries.index(forKey: origin) {
                entries.values[place].users += 1
                return entries.values[place].semaphore
            }
            let semaphore = FairSemaphore(permits: limit)
            entries[origin] = Entry(semaphore: semaphore, users: 1)
            return semaphore
        }
    }

    func giveBack(_ origin: Origin) {
        entries.withLock { entries in
            guard let place = entries.index(forKey: origin) else { return }
            entries.values[place].users -= 1
            if entries.values[place].users == 0 { entries.remove(at: place) }
        }
    }
}
