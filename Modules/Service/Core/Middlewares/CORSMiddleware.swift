import HTTPTypes
import Hummingbird
import StrataDomain

/// Lets pages of other origins call the service and read its responses, failures included (CORS protocol,
/// fetch.spec.whatwg.org/#http-cors-protocol). `EndpointResponder` answers preflights.
///
/// `Access-Control-Allow-Credentials` is never sent: a caller identifies itself with a token in a field of the request, and a
/// browser that would add a cookie by itself keeps the response from the page. A foreign origin gets the response without
/// CORS fields, a preflight too: its browser refuses any status without them, so a 403 would add nothing.
struct CORSMiddleware: ServiceMiddleware {
    private let origins: CORSOrigins
    /// Value of `Access-Control-Allow-Headers`. `*` would leave `Authorization` out.
    let requestFields: String

    /// - Parameter endpoints: What they read from the header is allowed.
    /// - Returns: `nil` without origins.
    init?(_ origins: CORSOrigins, endpoints: [MountedEndpoint]) {
        guard !origins.isEmpty else { return nil }
        self.origins = origins
        let recorder = SchemaRecorder()
        let read = endpoints.flatMap { $0.describe(recorder).parameters }.filter { $0.place == .header }.map(\.name)
        // A page cannot set a field whose name begins with `Sec-`.
        let names = Set(Self.commonRequestFields + read).filter { !$0.hasPrefix("Sec-") }
        requestFields = names.sorted().joined(separator: ", ")
    }

    func finish(_ response: inout Response, of call: ServiceCall) {
        let isPreflight = call.isPreflight
        addVary(to: &response, isPreflight)
        guard let allowed = origins.allowed(call.request.headers[.origin]) else { return }
        response.headers[.accessControlAllowOrigin] = allowed
        guard isPreflight, response.status == .noContent else {
            response.headers[.accessControlExposeHeaders] = Self.responseFields
            return
        }
        response.headers[.accessControlAllowMethods] = response.headers[.allow] ?? Self.commonMethods
        response.headers[.accessControlAllowHeaders] = requestFields
        response.headers[.accessControlMaxAge] = "600"
    }

    /// Also without `Origin` and for a foreign origin: a cache must not repeat that response for an allowed one. With `*` all
    /// responses but those to preflights are equal.
    private func addVary(to response: inout Response, _ isPreflight: Bool) {
        guard isPreflight || !origins.allowsAll else { return }
        let names = isPreflight ? "Origin, Access-Control-Request-Method, Access-Control-Request-Headers" : "Origin"
        response.headers[.vary] = response.headers[.vary].map { "\($0), \(names)" } ?? names
    }

    /// For a path that the service does not have, so that the page can read the 404.
    private static let commonMethods = StrataDomain.HTTPMethod.common.map(\.rawValue).joined(separator: ", ")

    /// What the service reads for all or many endpoints, and uploads read beside their parameters.
    private static let commonRequestFields = [
        "Authorization", "Content-Disposition", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match",
        "If-Range", "Range", "Repr-Digest", "X-API-Key", "X-Request-Deadline-Ms", "X-Request-Id", "traceparent",
    ]

    /// The fields that the OpenAPI document describes, those of unfinished uploads, and `Allow` and `Location`.
    private static let responseFields =
        (OpenAPIHeader.components.keys + [
            "Allow", "Location", UploadFields.complete, UploadFields.length, UploadFields.limit, UploadFields.offset,
        ]).sorted().joined(separator: ", ")
}
