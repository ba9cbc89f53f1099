/// The result of `body`, which is not cancelled with the calling task. For what has to be told of a change that is made.
///
/// - Throws: What `body` throws.
public func shielded<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let work = Task { () -> Result<Value, Failure> in
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    return try await work.value.get()
}
