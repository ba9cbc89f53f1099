/// Status and header fields of a response.
public struct ResponseHead: Sendable, Hashable {
    /// The status, such as 200.
    public var status: Int
    /// The reason phrase; `nil` from a transport without one. It has no meaning.
    public var reason: String?
    /// The fields, repeated ones included.
    public var headers: HeaderFields

    /// The head of a response; without `reason` the registered phrase of the status.
    public init(status: Int, reason: String? = nil, headers: HeaderFields = [:]) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }
}
