/// Sends endpoints whose body is too large for memory.
public protocol Uploader: Sendable {
    /// Sends `endpoint` with `body` in place of its own body, and decodes the response.
    ///
    /// - Throws: As `APIClient.response(to:options:)`; a body that is not replayable is sent once.
    func upload<E: Endpoint>(
        _ endpoint: E, body: UploadBody, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response>
}

extension Uploader {
    /// Sends `endpoint` with `body`, with the options of the endpoint.
    public func upload<E: Endpoint>(
        _ endpoint: E, body: UploadBody
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await upload(endpoint, body: body, options: CallOptions())
    }
}
