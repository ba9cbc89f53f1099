import StrataHTTP

extension APIClient {
    /// Asks for the state of a job until it is done (RFC 9110, section 15.3.3).
    ///
    /// ```swift
    /// let accepted = try await client.response(to: StartExport(), options: CallOptions())
    /// let export = try await client.poll(accepted.head.headers["Location"] ?? "", relativeTo: accepted.url, as: Export.self)
    /// ```
    ///
    /// The first request is sent at once. A response with 202 is a job that goes on; its body is not decoded. Between two requests
    /// it waits `interval`, or as long as the response asks with `Retry-After`. A redirect to the result is followed.
    ///
    /// - Parameters:
    ///   - location: Absolute, of the client's origin or a trusted one; or a path below the base URL.
    ///   - base: The URL of the response that held `location`, which is then any reference: `APIResponse.url`.
    ///   - interval: 10 ms or more; less is 10 ms. Default 2 s.
    ///   - options: Its deadline covers all requests and waits. Default: 10 minutes; the endpoint's own is for one request.
    ///   - isDone: Asked for each other response than 202. Default: yes.
    /// - Throws: `.timeout` when the job goes on at the deadline, without waiting for it; what a request throws.
    public func poll<Value: Decodable & Sendable>(
        _ location: String, relativeTo base: String? = nil, as type: Value.Type = Value.self,
        every interval: Duration = .seconds(2), options: CallOptions = CallOptions(),
        until isDone: (APIResponse<Value>) -> Bool = { _ in true }
    ) async throws(NetworkError) -> APIResponse<Value> {
        let url = try base.map { (base) throws(NetworkError) in try context.resolve(location, base) } ?? location
        return try await poll(URLEndpoint<Value>(url), every: interval, options: options, until: isDone)
    }

    /// Asks an endpoint for the state of a job until it is done.
    public func poll<E: Endpoint>(
        _ endpoint: E, every interval: Duration = .seconds(2), options: CallOptions = CallOptions(),
        until isDone: (APIResponse<E.Response>) -> Bool = { _ in true }
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        let context = context
        var call = options.overlaying(endpoint.options)
        let total: Duration? =
            switch options.deadline {
            case .after(let total): total
            case .none: nil
            case .inherited, .client: .seconds(600)
            }
        let end = total.map { context.now() + $0 }
        while true {
            if let end {
                let left = end - context.now()
                call.deadline = .after(min(left, endpoint.options.deadline.duration ?? left))
            }
            let response = try await response(
                to: RespondingEndpoint(endpoint, as: JobState<E.Response>.self), options: call)
            if case .done(let value) = response.value {
                let done = APIResponse(head: response.head, value: value, url: response.url)
                if isDone(done) { return done }
            }
            let asked = RetryAfter.wait(asked: response.head.headers, now: context.wallClock.now)
            // 0 names no wait.
            let wait = asked.flatMap { $0 > .zero ? $0 : nil } ?? max(interval, .milliseconds(10))
            if let end, context.now() + wait >= end { throw NetworkError(.timeout) }
            try await context.pause(for: wait)
        }
    }
}
