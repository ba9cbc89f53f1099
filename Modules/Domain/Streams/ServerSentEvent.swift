import FoundationEssentials

/// One event of a `text/event-stream` (WHATWG HTML, "Server-sent events").
public struct ServerSentEvent: Sendable, Hashable {
    /// The last `id` of the stream up to this event; empty without one.
    public var id: String
    /// Its type; `message` where the server names none.
    public var event: String
    /// Its `data` lines, joined by line feeds.
    public var data: String
    /// The reconnection time that came with this event; `nil` without one.
    public var retry: Duration?
    private var json = EventJSON()

    /// An event; `retry` is how long a reconnection waits, where the server says so.
    public init(id: String = "", event: String = "message", data: String, retry: Duration? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }

    /// `data` as JSON, in the form of the endpoint or the client that gave the event; else in snake_case.
    ///
    /// - Throws: `.decoding` with the key.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(NetworkError) -> Value {
        do { return try json.form.decode(type, from: Data(data.utf8)) } catch { throw NetworkError(.decoding(error)) }
    }

    /// The same event, whose JSON is in `form`.
    public func reading(_ form: JSONForm) -> ServerSentEvent {
        var event = self
        event.json.form = form
        return event
    }
}

/// How the data of an event is read. It is no part of the event: all are equal.
private struct EventJSON: Sendable, Hashable {
    var form = JSONForm.snakeCase

    static func == (left: EventJSON, right: EventJSON) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
