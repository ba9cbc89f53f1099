public import StrataDomain

/// The problem document a call was refused with; `nil` when it succeeded, or failed without one.
public func problem<Value>(_ call: () async throws -> Value) async -> Problem? {
    do {
        _ = try await call()
        return nil
    } catch {
        return (error as? NetworkError)?.problem
    }
}
