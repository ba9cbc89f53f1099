package import AttachmentsDomain
package import StrataDomain

/// `POST /v1/shifts/{id}/attachments`: one new file; repeatable with `Idempotency-Key`.
///
/// The body is `multipart/form-data` with one part `file` that has a file name and a media type. It is streamed and may be
/// larger than memory, so it is no part of this type. A file that is sent with `Upload-Complete` and no form can be resumed
/// (draft-ietf-httpbis-resumable-upload).
package struct UploadAttachment<Parent: Entity>: RoutedEndpoint {
    package static var route: Route { .post("/v1/\(Parent.path)/{id}/attachments") }
    package static var successStatus: Int { 201 }
    /// Name of the part that holds the file.
    package static var partName: String { "file" }
    package typealias Response = Attachment<Parent>
    package static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "Upload \(AttachmentNames<Parent>.noun)",
            details: """
                One part `file` with a file name and a media type.

                An upload that can be resumed (draft-ietf-httpbis-resumable-upload): the body is the file itself, with its \
                `Content-Type`, `Upload-Complete`, `Content-Disposition: inline; filename="…"`, and best `Upload-Length` and \
                `Repr-Digest`. With `Upload-Complete: ?0` the response is 201 without content and with the `Location` of the upload.
                """, problems: [404: ["not_found"]])
    }

    @Path package var id: Identifier<Parent>

    package init(id: Identifier<Parent>) { self.id = id }
}

/// `GET /v1/shifts/{id}/attachments`: oldest first, in pages.
package struct ListAttachments<Parent: Entity>: RoutedEndpoint {
    package static var route: Route { .get("/v1/\(Parent.path)/{id}/attachments") }
    package typealias Response = CursorPage<Attachment<Parent>>
    package static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "List \(Attachment<Parent>.plural)", details: "Oldest first, in pages.",
            schemas: ["limit": .integer(1...500, default: 50)], problems: [400: ["invalid_cursor"]])
    }

    @Path package var id: Identifier<Parent>
    @Query package var cursor: String?
    /// Attachments in a page, 1 to 500. Default 50.
    @Query package var limit: Int?

    package init(id: Identifier<Parent>, cursor: String? = nil, limit: Int? = nil) {
        self.id = id
        self.cursor = cursor
        self.limit = limit
    }
}

/// `GET /v1/attachments/{id}`, `/v1/shift-attachments/{id}`: the metadata of a file.
package typealias GetAttachment<Parent: Entity> = GetResource<Attachment<Parent>>

/// `GET /v1/attachments/{id}/content`, `/v1/shift-attachments/{id}/content`: the bytes, whole or a range of them (RFC 9110, section 14).
///
/// The answer has the media type of the attachment, a strong `ETag`, `Accept-Ranges: bytes` and `Repr-Digest`. It is
/// streamed, so there is no value to decode.
package struct AttachmentContent<Parent: Entity>: RoutedEndpoint {
    package static var route: Route { .get("/v1/\(AttachmentNames<Parent>.path)/{id}/content") }
    package static var successStatus: Int { 200 }
    package typealias Response = NoContent
    package static var documentation: EndpointDocumentation {
        EndpointDocumentation("Get \(AttachmentNames<Parent>.noun) content")
    }

    @Path package var id: Attachment<Parent>.ID

    package init(id: Attachment<Parent>.ID) { self.id = id }
}
