import StrataConcurrency
import StrataDomain

/// One semaphore for each origin in use. An origin without users is forgotten.
final class OriginLimiter: Sendable {
    private struct Place {
        let semaphore: FairSemaphore
        /// Attempts that hold a permit or wait for one.
        var users = 0
    }

    private let limit: Int
    private let places = Mutex<[Origin: Place]>([:])

    /// - Parameter limit: Permits of each origin.
    init(limit: Int) { self.limit = limit }

    /// Origins in use now.
    var count: Int { places.withLock(\.count) }

    /// Takes a permit of `origin`, which `leave` gives back.
    ///
    /// - Throws: `.timeout` at `deadline`, `CancellationError` when cancelled while waiting.
    func enter(_ origin: Origin, by deadline: Deadline) async throws {
        let semaphore = places.withLock { places in
            var place = places[origin] ?? Place(semaphore: FairSemaphore(permits: limit))
            place.users += 1
            places[origin] = place
            return place.semaphore
        }
        do {
            guard try await semaphore.acquire(until: deadline.limit) else { throw NetworkError(.timeout) }
        } catch {
            forget(origin)
            throw error
        }
    }

    func leave(_ origin: Origin) { forget(origin)?.release() }

    @discardableResult
    private func forget(_ origin: Origin) -> FairSemaphore? {
        places.withLock { places in
            guard var place = places[origin] else { return nil }
            place.users -= 1
            places[origin] = place.users == 0 ? nil : place
            return place.semaphore
        }
    }
}
