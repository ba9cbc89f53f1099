/// Returns when `condition` holds. For a state that other tasks or processes reach and that no event announces.
///
/// - Parameters:
///   - what: The state as a sentence, for the error: `the worker has the lock`.
///   - limit: Default: one minute.
/// - Throws: `NeverHappened` after `limit`; `CancellationError`.
public func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    // Tasks of this process need no more than a turn; other processes need time.
    for _ in 0..<1000 {
        if try await condition() { return }
        await Task.yield()
    }
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard .now < end else { throw NeverHappened(what: what) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Returns when `condition` holds, within ten seconds. For a state that other tasks of this process reach.
///
/// - Throws: `NeverHappened` with file and line of the caller; `CancellationError`.
public func eventually(
    _ condition: @autoclosure () async throws -> Bool, file: StaticString = #fileID, line: UInt = #line
) async throws {
    try await eventually("what is waited for in \(file):\(line)", within: .seconds(10)) { try await condition() }
}

/// The state that `eventually` did not see in time.
public struct NeverHappened: Error, CustomStringConvertible {
    /// What was waited for.
    public let what: String
    public var description: String { "never happened: \(what)" }
}
