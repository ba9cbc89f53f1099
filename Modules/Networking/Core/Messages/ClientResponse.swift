public import StrataDomain

/// Head and body of a response whose connection is still open.
public struct ClientResponse: Sendable {
    public var head: ResponseHead
    public var body: ResponseBody

    public init(_ head: ResponseHead, body: ResponseBody = ResponseBody()) {
        self.head = head
        self.body = body
    }
}
