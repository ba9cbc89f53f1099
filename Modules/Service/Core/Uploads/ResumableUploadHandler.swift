package import StrataDomain

/// The work of an upload that may also arrive in several requests
/// (draft-ietf-httpbis-resumable-upload, after version 11).
///
/// A POST to the endpoint with `Upload-Complete` and a body that is no form creates an upload resource. The content is the body
/// itself; `Content-Disposition` has the file name. Its pieces are stored as they arrive. With the last one the content is put
/// together and committed as that of a form.
public protocol ResumableUploadHandler: UploadHandler {
    /// Names the uploads in paths and tables, in the singular and snake_case: `attachment`. Each handler of a service has another
    /// one. It must never change.
    static var uploadName: String { get }

    /// Where complete contents are stored.
    var blobs: any BlobStore { get }

    /// What `commit` gets for a content. Also called with an empty `blob.id` before the first byte, to check the name.
    ///
    /// - Parameters:
    ///   - fileName: From the client and untrusted, as in a form.
    ///   - mediaType: `type/subtype` in lower case; `nil` when it is missing or malformed.
    /// - Throws: 422 naming `filename`.
    func received(_ blob: StoredBlob, fileName: String, mediaType: String?) throws -> Received
}

/// `GET /v1/attachment-uploads/{id}`: the offset of an upload, in header fields only. Clients send HEAD.
package struct ReadUpload<Handler: ResumableUploadHandler>: RoutedEndpoint {
    package static var route: Route { .get(UploadPath.template(Handler.self)) }
    package typealias Response = NoContent
    package static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "Read \(UploadPath.noun(Handler.self)) offset",
            details: "The state is in `Upload-Offset`, `Upload-Complete`, `Upload-Length` and `Upload-Limit`.")
    }

    /// The upload that is asked about.
    @Path package var id: String

    /// Asks how many bytes the server has.
    package init(id: String) { self.id = id }
}

/// `PATCH /v1/attachment-uploads/{id}`: the bytes from the offset on. The last request has the response of the upload.
package struct AppendToUpload<Handler: ResumableUploadHandler>: RoutedEndpoint {
    package static var route: Route { .patch(UploadPath.template(Handler.self)) }
    package static var successStatus: Int { Handler.Call.successStatus }
    package typealias Response = Handler.Call.Response
    package static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "Append to \(UploadPath.noun(Handler.self))",
            details: """
                The bytes from `Upload-Offset` on. With `Upload-Complete: ?0` the response is 204; with `?1` the upload ends, and \
                the response is that of the upload as a form.
                """,
            schemas: [
                UploadFields.complete: .text(pattern: "^[?][01]$").described("`?1` with the last bytes, else `?0`."),
                UploadFields.offset: .text(pattern: "^[0-9]{1,15}$").described("The offset of the first byte."),
                UploadFields.length: .text(pattern: "^[0-9]{1,15}$").described("Bytes of the whole content."),
            ],
            problems: [
                400: ["upload_length_mismatch"],
                409: ["upload_offset_mismatch", "idempotency_in_flight", "idempotent_response_dropped"],
                410: ["upload_completed"], 422: ["digest_mismatch", "idempotency_key_reused"],
            ])
    }

    /// The upload that goes on.
    @Path package var id: String
    /// `?1` with the last bytes, else `?0`.
    @Header package var uploadComplete: String?
    /// The offset of the first byte of the body.
    @Header package var uploadOffset: String?
    /// Bytes of the whole content.
    @Header package var uploadLength: String?

    /// Sends the bytes behind `uploadOffset`.
    package init(id: String, uploadComplete: String?, uploadOffset: String?, uploadLength: String? = nil) {
        self.id = id
        self.uploadComplete = uploadComplete
        self.uploadOffset = uploadOffset
        self.uploadLength = uploadLength
    }
}

/// `DELETE /v1/attachment-uploads/{id}`: ends an upload and drops what has arrived.
package struct CancelUpload<Handler: ResumableUploadHandler>: RoutedEndpoint {
    package static var route: Route { .delete(UploadPath.template(Handler.self)) }
    package typealias Response = NoContent
    package static var documentation: EndpointDocumentation {
        EndpointDocumentation("Cancel \(UploadPath.noun(Handler.self))")
    }

    /// The upload that is given up.
    @Path package var id: String

    /// Gives up an upload.
    package init(id: String) { self.id = id }
}

/// The paths of upload resources.
enum UploadPath {
    static func template<H: ResumableUploadHandler>(_ handler: H.Type) -> String { path("{id}", of: handler) }

    static func path<H: ResumableUploadHandler>(_ id: String, of handler: H.Type) -> String {
        "/v1/\(H.uploadName.replacing("_", with: "-"))-uploads/\(id)"
    }

    static func noun<H: ResumableUploadHandler>(_ handler: H.Type) -> String {
        "\(H.uploadName.replacing("_", with: " ")) upload"
    }
}
