import Synchronization

/// Lets a fixed number of attempts per origin run at once; the others wait in order, bounded by their deadline.
struct ConcurrencyLimitInterceptor: Interceptor {
    let limiter: OriginLimiter

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let semaphore = limiter.borrow(request.url.origin)
        defer { limiter.giveBack(request.url.origin) }
        try await semaphore.withPermit(by: request.context.deadline) { try await next(request, receive) }
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
