extension APIClient {
    /// The server-sent events of `endpoint`.
    ///
    /// ```swift
    /// for try await event in client.events(Changes()) { show(try event.decode(Change.self)) }
    /// for try await event in try client.events(Chat(prompt)).prefix(while: { $0.data != "[DONE]" }) { … }
    /// ```
    ///
    /// After the connection has ended or failed, the stream is opened again with `Last-Event-ID`. It waits as long as the server
    /// asked with `retry`, 3 s by default, and up to half as long again. A connection that brought bytes or lasted 10 s is free. Others
    /// double the wait, up to a minute, and take a retry each out of the client's budget, unless nothing was sent. The sequence ends
    /// after a response with 204. It fails when the first connection cannot be made, with each error that a repetition cannot mend,
    /// such as another media type and a 4xx besides 408, 425 and 429, and when the budget is used up. Only a failure of the first
    /// connection counts for the circuit breaker of the origin.
    ///
    /// There is no total deadline unless `options` state one, which then covers all connections; `.client` covers each one. The
    /// idle timeout ends a silent connection.
    ///
    /// - Parameters:
    ///   - lastEventID: The `id` of the last event that an earlier run has seen. Default: from the beginning.
    ///   - reconnects: Whether to open the stream again. Default: for a GET, and for a call that is stated to be idempotent.
    ///   - limit: Bytes of the data of an event, 1 or more; a larger one is `.invalidResponse`. Default 1 MiB.
    public func events<E: Endpoint>(
        _ endpoint: E, since lastEventID: String = "", reconnects: Bool? = nil, upTo limit: Int = 1 << 20,
        options: CallOptions = CallOptions()
    ) -> ResponseStream<ServerSentEvent> {
        let call = EventStreamCall(
            client: self, endpoint: endpoint, options: options.overlaying(endpoint.options), reconnects: reconnects,
            limit: limit)
        return ResponseStream { (outlet) async throws(NetworkError) in
            try await call.run(since: lastEventID, outlet)
        }
    }

    /// The server-sent events of a path below the base URL, perhaps with a query, or of an absolute URL.
    public func events(
        _ url: String, since lastEventID: String = "", reconnects: Bool? = nil, upTo limit: Int = 1 << 20,
        options: CallOptions = CallOptions()
    ) -> ResponseStream<ServerSentEvent> {
        events(
            URLEndpoint<NoContent>(url), since: lastEventID, reconnects: reconnects, upTo: limit, options: options)
    }

    /// The server-sent events of a path below the base URL: `client.events("/users/{name}/changes", ["name": "ada", "kind": "update"])`.
    ///
    /// - Parameters:
    ///   - path: With names in braces, without a query. The rest of it is percent-encoded.
    ///   - parameters: A value for each name in braces, and the query.
    public func events(
        _ path: String, _ parameters: CallParameters, since lastEventID: String = "", reconnects: Bool? = nil,
        upTo limit: Int = 1 << 20, options: CallOptions = CallOptions()
    ) -> ResponseStream<ServerSentEvent> {
        events(
            PathEndpoint<NoContent>(.get, path, parameters), since: lastEventID, reconnects: reconnects, upTo: limit,
            options: options)
    }
}
