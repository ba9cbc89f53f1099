import StrataDomain

private enum RaceOutcome<Value: Sendable>: Sendable {
    case finished(Result<Value, any Error>)
    case expired
    case timerStopped
}

/// Runs `operation` until `instant` on `time`, then cancels it.
///
/// Waits for the cancelled operation to end, as structured concurrency must; one that ignores cancellation makes the call
/// late, never early. What it still returns then is dropped.
///
/// - Parameter isLifted: Asked when the time is up; `true` lets the operation go on.
/// - Throws: `NetworkError(.timeout)` when the time is up, else what `operation` throws.
func withTimeLimit<Value: Sendable>(
    until instant: Duration, on time: MonotonicTime, isLifted: @escaping @Sendable () -> Bool = { false },
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard time.now < instant else { throw NetworkError(.timeout) }
    return try await withTaskGroup(of: RaceOutcome<Value>.self) { group -> Result<Value, any Error> in
        group.addTask {
            do { return .finished(.success(try await operation())) } catch { return .finished(.failure(error)) }
        }
        group.addTask {
            do { try await time.sleep(until: instant) } catch { return .timerStopped }
            return isLifted() ? .timerStopped : .expired
        }
        for await outcome in group {
            switch outcome {
            case .finished(let result):
                group.cancelAll()
                return result
            case .expired:
                group.cancelAll()
                await group.waitForAll()
                return .failure(NetworkError(.timeout))
            case .timerStopped: continue  // The operation says how it ended.
            }
        }
        return .failure(CancellationError())
    }.get()
}
