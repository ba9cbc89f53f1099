import FoundationEssentials
import StrataDomain

/// Makes the calls of one command: the same request each time, each with its own record.
struct RequestCall: Sendable {
    /// Maximum size of a response in memory, in bytes.
    static let memoryLimit = 64 << 20

    let client: any RawClient
    let request: RawRequest
    let options: CallOptions
    /// A new key for each call; `nil` for none, or for the key in `options`.
    let makeKey: (@Sendable () -> String)?
    let clock: any Clock<Duration>
    let keepsTrace: Bool

    /// Reads the complete response into memory, so that a connection lost during the body can be retried.
    func collect(
        upTo limit: Int = memoryLimit, following: (@Sendable (TraceEntry) -> Void)? = nil
    ) async -> (CallOutcome, Data) {
        let record = CallRecord(clock, keepsTrace: keepsTrace, follower: following)
        do {
            let response = try await client.collect(
                request, upTo: limit, options: callOptions, events: record.receive)
            return (record.outcome(.success(response.head)), response.bytes)
        } catch {
            return (record.outcome(.failure(error)), Data())
        }
    }

    /// Streams the body of a success (2xx) to `write`; of any other response the first bytes are collected.
    ///
    /// - Parameter begin: Called with the head of a success before its body.
    func stream(
        following: (@Sendable (TraceEntry) -> Void)? = nil,
        begin: @escaping @Sendable (ResponseHead) throws -> Void, write: @escaping @Sendable (Data) throws -> Void
    ) async -> (CallOutcome, Data) {
        let record = CallRecord(clock, keepsTrace: keepsTrace, follower: following)
        do {
            let (head, bytes) = try await client.stream(
                request, options: callOptions, events: record.receive
            ) { head, chunks in
                var kept = Data()
                if (200..<300).contains(head.status) {
                    try begin(head)
                    for try await chunk in chunks { try write(chunk) }
                } else {
                    for try await chunk in chunks where kept.count < Self.failureLimit { kept.append(chunk) }
                }
                return (head, kept)
            }
            return (record.outcome(.success(head)), bytes)
        } catch {
            return (record.outcome(.failure(error)), Data())
        }
    }

    private var callOptions: CallOptions {
        var options = options
        if let makeKey { options.idempotencyKey = makeKey() }
        return options
    }

    /// Approximate number of bytes collected of a failure's body.
    private static let failureLimit = 1 << 20
}
