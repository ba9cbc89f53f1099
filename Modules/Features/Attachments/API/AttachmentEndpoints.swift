package import AttachmentsDomain
package import JournalDomain
package import StrataDomain

/// `POST /v1/journal/entries/{id}/attachments`: one new file; repeatable with `Idempotency-Key`.
///
/// The body is `multipart/form-data` with one part `file` that has a file name and a media type. It is streamed and may be
/// larger than memory, so it is no part of this type. A file that is sent with `Upload-Complete` and no form can be resumed
/// (draft-ietf-httpbis-resumable-upload).
package struct UploadAttachment: RoutedEndpoint {
    package static let route = Route.post("/v1/journal/entries/{id}/attachments")
    package static let successStatus = 201
    /// Name of the part that holds the file.
    package static let partName = "file"
    package typealias Response = Attachment
    package static let documentation = EndpointDocumentation(
        details: """
            One part `file` with a file name and a media type.

            An upload that can be resumed (draft-ietf-httpbis-resumable-upload): the body is the file itself, with its \
            `Content-Type`, `Upload-Complete`, `Content-Disposition: inline; filename="…"`, and best `Upload-Length` and \
            `Repr-Digest`. With `Upload-Complete: ?0` the response is 201 without content and with the `Location` of the upload.
            """, problems: [404: ["not_found"]])

    @Path package var id: JournalEntry.ID

    package init(id: JournalEntry.ID) { self.id = id }
}

/// `GET /v1/journal/entries/{id}/attachments`: oldest first, in pages.
package struct ListAttachments: RoutedEndpoint {
    package static let route = Route.get("/v1/journal/entries/{id}/attachments")
    package typealias Response = CursorPage<Attachment>
    package static let documentation = EndpointDocumentation(
        details: "Oldest first, in pages.", schemas: ["limit": .integer(1...500, default: 50)],
        problems: [400: ["invalid_cursor"]])

    @Path package var id: JournalEntry.ID
    @Query package var cursor: String?
    /// Attachments in a page, 1 to 500. Default 50.
    @Query package var limit: Int?

    package init(id: JournalEntry.ID, cursor: String? = nil, limit: Int? = nil) {
        self.id = id
        self.cursor = cursor
        self.limit = limit
    }
}

/// `GET /v1/attachments/{id}`: the metadata of a file.
package typealias GetAttachment = GetResource<Attachment>

/// `GET /v1/attachments/{id}/content`: the bytes, whole or a range of them (RFC 9110, section 14).
///
/// The answer has the media type of the attachment, a strong `ETag`, `Accept-Ranges: bytes` and `Repr-Digest`. It is
/// streamed, so there is no value to decode.
package struct AttachmentContent: RoutedEndpoint {
    package static let route = Route.get("/v1/attachments/{id}/content")
    package static let successStatus = 200
    package typealias Response = NoContent
    package static let documentation = EndpointDocumentation("Get attachment content")

    @Path package var id: Attachment.ID

    package init(id: Attachment.ID) { self.id = id }
}
