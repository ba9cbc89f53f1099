import FoundationEssentials
import HTTPTypes
import Hummingbird
import StrataConcurrency
import StrataDomain

extension RawRoute {
    /// `GET /openapi.json`: the document, with an `ETag`.
    ///
    /// - Parameter document: Made at the first request.
    static func openAPI(_ document: Lazy<OpenAPIDocument>) -> RawRoute {
        let response = Lazy { try? EncodedResponse(document.value) }
        return RawRoute(
            route: .get("/openapi.json"), summary: "Get this document", mediaType: MediaType.json, isTagged: true,
            emptyStatuses: [304]
        ) { call in
            guard let response = response.value else { throw ServiceError.unexpected }
            return Response(response, to: call.request)
        }
    }
}

extension EncodedResponse {
    fileprivate init(_ document: OpenAPIDocument) throws {
        let bytes = try document.compact
        self.init(
            status: 200,
            headers: ["Content-Type": MediaType.json, "Cache-Control": "no-cache", "ETag": EntityTag(of: bytes).text],
            body: bytes)
    }
}

extension EntityTag {
    /// The tag of content that only a new version of the program changes.
    init(of content: some Sequence<UInt8>) {
        var hash = StableHash()
        hash.combine(String(decoding: Array(content), as: Unicode.ASCII.self))
        self.init(hash.text)
    }
}
