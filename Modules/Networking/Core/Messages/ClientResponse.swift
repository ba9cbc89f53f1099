public import StrataDomain

/// Head and body of a response whose connection is still open.
public struct ClientResponse: Sendable {
    /// Status and fields.
    public var head: ResponseHead
    /// The body, which is read once.
    public var body: ResponseBody

    /// A response; its body is empty unless one is given.
    public init(_ head: ResponseHead, body: ResponseBody = ResponseBody()) {
        self.head = head
        self.body = body
    }
}
