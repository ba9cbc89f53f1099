public import FoundationEssentials
public import StrataDomain

/// A response of an endpoint that is not JSON: it has a media type and encodes itself. It is the `Response` of the endpoint, so it also is
/// `Decodable`.
///
/// ```swift
/// extension Timetable: Codable, ContentResponse {
///     static let mediaType = "text/calendar"
///     var content: ResponseContent { ResponseContent(Data(text.utf8)) }
/// }
/// ```
public protocol ContentResponse: Encodable {
    /// Without parameters: `text/html`. The OpenAPI document names it.
    static var mediaType: String { get }
    /// What is sent.
    var content: ResponseContent { get }
}

/// The bytes of a response, with what else it sends.
public struct ResponseContent: Sendable {
    /// The body.
    public var bytes: Data
    /// In place of the endpoint's. `EndpointDocumentation.statuses` describes them.
    public var status: Int?
    /// They win over those of the endpoint.
    public var headers: HeaderFields

    /// A body; without a status that of the endpoint.
    public init(_ bytes: Data, status: Int? = nil, headers: HeaderFields = [:]) {
        (self.bytes, self.status, self.headers) = (bytes, status, headers)
    }
}
