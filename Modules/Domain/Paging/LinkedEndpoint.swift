/// An endpoint at a URL that the server gave, such as the next page of a list: its header fields, options and response, and no
/// other part of it.
public struct LinkedEndpoint<Base: Endpoint>: Endpoint, EndpointWrapper {
    public typealias Response = Base.Response

    /// The endpoint whose page it is.
    public let base: Base
    /// Absolute, of the client's origin or a trusted one.
    public let url: String

    /// The page of `base` at `url`, which the page before has named.
    public init(_ base: Base, at url: String) {
        self.base = base
        self.url = url
    }

    public static var json: JSONForm { Base.json }

    public func request() throws(EndpointError) -> EndpointRequest {
        URLEndpoint<Response>(url, headers: try base.request().headers).request()
    }

    public var options: CallOptions { base.options }

    package var wrapped: any Endpoint { base }
}
