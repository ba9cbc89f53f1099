import Hummingbird
import StrataDomain

/// A route without an endpoint type, open to anyone: its response is no JSON of a type.
struct RawRoute: Sendable {
    let route: Route
    /// A few words, from which the operation id is made: `Get metrics`.
    let summary: String
    /// The media type of the response.
    let mediaType: String
    /// Whether the response has an `ETag`.
    var isTagged = false
    /// Statuses of a response without content.
    var emptyStatuses: [Int] = []
    let respond: @Sendable (ServiceCall) async throws -> Response
}
