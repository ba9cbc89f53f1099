import FoundationEssentials

/// One iteration over an event stream, over all its connections.
struct EventStreamCall<E: Endpoint>: Sendable {
    let client: any APIClient
    let endpoint: E
    /// With those of the endpoint.
    let options: CallOptions
    let reconnects: Bool?
    let limit: Int

    /// How a connection ended that did not fail.
    private enum Ending: Sendable {
        case closed
        /// The server wants no further connection.
        case over
    }

    func run(since lastEventID: String, _ outlet: Outlet<ServerSentEvent>) async throws(NetworkError) {
        let request: EndpointRequest
        do { request = try endpoint.request() } catch { throw NetworkError(.invalidRequest(error.description)) }
        let reconnects = reconnects ?? options.retry.isIdempotent ?? (request.method == .get)
        let context = client.context
        let end = options.deadline.duration.map { context.now() + $0 }
        let place = EventStreamPlace(lastEventID: lastEventID)
        var hasConnected = false
        while true {
            var failure: NetworkError?
            do {
                let call = try await connection(request, place, until: end, context)
                guard try await read(call, outlet, place, context) == .closed, reconnects else { return }
            } catch {
                hasConnected = await place.hasConnected
                let isLate = end.map { context.now() >= $0 } ?? false
                guard reconnects, hasConnected, error.isRetryable, !isLate, !Task.isCancelled else { throw error }
                failure = error
            }
            var pause = await place.reconnection(random: context.random())
            if case .circuitOpen(_, let until)? = failure?.kind {
                // Nothing was sent, so the wait is that of the circuit and not longer than before.
                pause = await place.reconnection(after: until.timeIntervalSince(context.wallClock.now))
            }
            let wait = max(pause.wait, min(failure?.retryAfter ?? .zero, .seconds(3600)))
            if let end, context.now() + wait >= end { throw failure ?? NetworkError(.timeout) }
            guard pause.isFree || failure?.isUnsent == true || context.mayRetry() else {
                throw failure
                    ?? NetworkError(.connectionLost("the event stream ended without an event again and again"))
            }
            try await context.pause(for: wait)
        }
    }

    /// The options of the next connection.
    private func connection(
        _ request: EndpointRequest, _ place: EventStreamPlace, until end: Duration?, _ context: ClientContext
    ) async throws(NetworkError) -> CallOptions {
        var call = options
        call.isReconnection = await place.hasConnected
        if let end { call.deadline = .after(end - context.now()) }
        for (name, value) in [("Accept", Self.mediaType), ("Cache-Control", "no-store")]
        where call.headers[name] == nil && request.headers[name] == nil {
            call.headers[name] = value
        }
        let id = await place.lastEventID
        if !id.isEmpty {
            guard id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw NetworkError(
                    .invalidResponse("the id of the last event has a control character and cannot be sent back"))
            }
            call.headers["Last-Event-ID"] = id
        }
        return call
    }

    private func read(
        _ call: CallOptions, _ outlet: Outlet<ServerSentEvent>, _ place: EventStreamPlace, _ context: ClientContext
    ) async throws(NetworkError) -> Ending {
        let (limit, form) = (limit, E.json.or(context.json))
        return try await client.stream(endpoint, options: call) { head, chunks in
            guard head.status != 204 else { return .over }
            try Self.check(head)
            var parser = await place.connected(at: context.now(), upTo: limit)
            do {
                for try await chunk in chunks {
                    await place.received()
                    parser.append(chunk)
                    while let event = try parser.next() {
                        try await outlet.send(event.reading(form))
                        // It is the reader's, so a new connection begins behind it.
                        await place.read(to: event.id, retry: parser.retry)
                    }
                    // Also what came without an event.
                    await place.read(to: parser.lastEventID, retry: parser.retry)
                }
                try Task.checkCancellation()
            } catch {
                await place.disconnected(at: context.now())
                throw error
            }
            await place.disconnected(at: context.now())
            return .closed
        }
    }

    private static func check(_ head: ResponseHead) throws(NetworkError) {
        guard head.status == 200 else {
            throw NetworkError(.invalidResponse("expected status 200 of an event stream, got \(head.status)"))
        }
        let field = head.headers["Content-Type"] ?? ""
        guard MediaType.essence(field) == mediaType else {
            // Whole or not at all: half of a secret would not be found.
            let type = MediaType.written(field)
            let found = type.isEmpty ? "no media type" : type.utf8.count > 80 ? "a long media type" : "'\(type)'"
            throw NetworkError(
                .invalidResponse("expected '\(mediaType)', got \(found); check the path, or a proxy in between"))
        }
    }

    private static var mediaType: String { "text/event-stream" }
}

/// Where an event stream is, over its connections.
private actor EventStreamPlace {
    private(set) var lastEventID: String
    private(set) var hasConnected = false
    private var retry = Duration.seconds(3)
    private var connectedAt = Duration.zero
    private var isUseful = false
    /// Connections in a row that brought nothing.
    private var useless = 0

    init(lastEventID: String) { self.lastEventID = lastEventID }

    func connected(at now: Duration, upTo limit: Int) -> ServerSentEventParser {
        (hasConnected, connectedAt) = (true, now)
        return ServerSentEventParser(lastEventID: lastEventID, upTo: limit)
    }

    func received() { isUseful = true }

    /// A connection that lasted is useful too: a quiet stream is closed by proxies, over and over.
    func disconnected(at now: Duration) { if now - connectedAt >= .seconds(10) { isUseful = true } }

    func read(to id: String, retry: Duration?) {
        lastEventID = id
        if let retry { self.retry = retry }
    }

    /// The wait until the circuit of the origin allows a probe; the connection that was not made does not count.
    func reconnection(after seconds: TimeInterval) -> (wait: Duration, isFree: Bool) {
        useless = max(0, useless - 1)
        return (.milliseconds(Int64(min(max(0.1, seconds), 3600) * 1000)), true)
    }

    /// The wait before the next connection, and whether the one before has earned it.
    func reconnection(random: Double) -> (wait: Duration, isFree: Bool) {
        defer { isUseful = false }
        useless = isUseful ? 0 : useless + 1
        let first = max(retry, .milliseconds(100))
        let wait = min(first * (1 << min(max(0, useless - 1), 10)), max(first, .seconds(60)))
        return (wait + wait / 2 * random, isUseful)
    }
}
