/// Calls by path without a response value.
extension APIClient {
    /// Sends a POST without a body, and ignores the body of the response.
    public func post(
        _ path: String, _ parameters: CallParameters = [:], options: CallOptions = CallOptions()
    ) async throws(NetworkError) {
        let _: NoContent = try await post(path, parameters, options: options)
    }

    /// Sends a POST with `body` as JSON, and ignores the body of the response.
    public func post(
        _ path: String, _ parameters: CallParameters = [:], body: some Encodable & Sendable,
        options: CallOptions = CallOptions()
    ) async throws(NetworkError) {
        let _: NoContent = try await post(path, parameters, body: body, options: options)
    }

    /// Sends a PUT with `body` as JSON, and ignores the body of the response.
    public func put(
        _ path: String, _ parameters: CallParameters = [:], body: some Encodable & Sendable,
        options: CallOptions = CallOptions()
    ) async throws(NetworkError) {
        let _: NoContent = try await put(path, parameters, body: body, options: options)
    }

    /// Sends a PATCH with `body` as JSON, and ignores the body of the response.
    public func patch(
        _ path: String, _ parameters: CallParameters = [:], body: some Encodable & Sendable,
        options: CallOptions = CallOptions()
    ) async throws(NetworkError) {
        let _: NoContent = try await patch(path, parameters, body: body, options: options)
    }

    /// Sends a DELETE, and ignores the body of the response.
    public func delete(
        _ path: String, _ parameters: CallParameters = [:], options: CallOptions = CallOptions()
    ) async throws(NetworkError) {
        let _: NoContent = try await delete(path, parameters, options: options)
    }
}
