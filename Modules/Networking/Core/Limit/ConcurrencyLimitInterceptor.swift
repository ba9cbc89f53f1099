import StrataConcurrency
import StrataDomain

/// Lets a fixed number of attempts per origin run at once; the others wait in order, bounded by their deadline.
struct ConcurrencyLimitInterceptor: Step {
    let limiter: OriginLimiter

    func begin(_ request: inout ClientRequest) async throws -> OriginLimiter.Door {
        let door = limiter.door(to: request.url.origin)
        try await door.enter(by: request.context.deadline)
        return door
    }

    func end(_ door: inout OriginLimiter.Door, _ error: (any Error)?) throws -> ClientRequest? {
        door.leave()
        if let error { throw error }
        return nil
    }
}

/// Permits for each origin in use; what nobody uses is forgotten.
final class OriginLimiter: Sendable {
    private let limit: Int
    private let origins = Mutex<[Origin: Permits]>([:])

    init(limit: Int) { self.limit = limit }

    /// Origins in use now.
    var count: Int { origins.withLock(\.count) }

    func door(to origin: Origin) -> Door { Door(limiter: self, origin: origin) }

    /// The way to one origin.
    struct Door: PermitKeeper {
        fileprivate let limiter: OriginLimiter
        fileprivate let origin: Origin

        func withPermits<Result: Sendable>(_ body: (inout Permits) -> Result) -> Result {
            limiter.origins.withLock { origins in
                guard let place = origins.index(forKey: origin) else {
                    var permits = Permits(limiter.limit)
                    let result = body(&permits)
                    if !permits.isUnused { origins[origin] = permits }
                    return result
                }
                let result = body(&origins.values[place])
                if origins.values[place].isUnused { origins.remove(at: place) }
                return result
            }
        }
    }
}
