public import FoundationEssentials

/// Reads an event stream as the WHATWG says (HTML, section 9.2.6). An event without a blank line after it is dropped.
public struct ServerSentEventParser: ChunkParser {
    /// The id to send as `Last-Event-ID` when the stream is opened again: that of the last whole event; empty without one.
    public private(set) var lastEventID: String
    /// The last reconnection time that the server sent; `nil` without one. At most an hour.
    public private(set) var retry: Duration?

    private let limit: Int
    private var lines: LineBytes
    private var id: String
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var ownRetry: Duration?

    /// - Parameters:
    ///   - lastEventID: That of the connection before. An event without an `id` keeps it, as in browsers.
    ///   - limit: Bytes of the data of one event, and of a line; 1 or more. Default 1 MiB.
    public init(lastEventID: String = "", upTo limit: Int = 1 << 20) {
        self.lastEventID = lastEventID
        self.limit = max(1, limit)
        id = lastEventID
        lines = LineBytes(upTo: limit, ends: .any)
    }

    public mutating func append(_ chunk: Data) { lines.append(chunk) }

    public mutating func next() throws(NetworkError) -> ServerSentEvent? {
        while let line = try lines.next() {
            if !line.isEmpty {
                try read(line)
            } else if let event = dispatch() {
                return event
            }
        }
        return nil
    }

    public mutating func finish() throws(NetworkError) -> ServerSentEvent? { nil }

    private mutating func read(_ line: [UInt8]) throws(NetworkError) {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // A line that begins with a colon is a comment.
        guard !name.isEmpty else { return }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "data": try add(value)
        case "event": type = String(decoding: value, as: UTF8.self)
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry": if let wait = Self.wait(value) { (retry, ownRetry) = (wait, wait) }
        default: break
        }
    }

    private mutating func add(_ value: ArraySlice<UInt8>) throws(NetworkError) {
        guard data.count + (hasData ? 1 : 0) + value.count <= limit else {
            throw NetworkError(
                .invalidResponse("the data of an event is larger than \(limit) bytes; raise the limit 'upTo'"))
        }
        if hasData { data.append(0x0A) }
        hasData = true
        data += value
    }

    /// - Returns: `nil` for a block without data, which sets the id and is no event.
    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = id
        defer { (type, data, hasData, ownRetry) = ("", [], false, nil) }
        guard hasData else { return nil }
        return ServerSentEvent(
            id: id, event: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self),
            retry: ownRetry)
    }

    /// Milliseconds in decimal digits; `nil` for any other text.
    private static func wait(_ digits: ArraySlice<UInt8>) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let longest = 3_600_000
        return .milliseconds(digits.reduce(0) { min($0 * 10 + Int($1 - 48), longest) })
    }
}
