import FoundationEssentials
import StrataDomain

/// What the request that creates an upload says about its content.
struct UploadOffer: Sendable, Hashable {
    let isLast: Bool
    /// `Upload-Length`, if any.
    let total: Int?
    let fileName: String
    /// `type/subtype` in lower case; `nil` when it is missing or malformed.
    let mediaType: String?
    /// The SHA-256 in `Repr-Digest`, if any.
    let digest: Data?

    /// - Throws: 400 without `Upload-Complete`, 422 naming `filename` without a file name.
    init(_ headers: HeaderFields) throws {
        guard let isLast = UploadFields.boolean(headers.values(UploadFields.complete)) else {
            throw EndpointError(.missing, in: .header, key: UploadFields.complete, expected: "?1 or ?0")
        }
        let disposition = headers.values("Content-Disposition")
        guard disposition.count == 1, let name = ContentDisposition.fileName(disposition[0]) else {
            throw ServiceError.validation([
                FieldError(field: "filename", message: "is missing; send Content-Disposition: inline; filename=\"…\"")
            ])
        }
        self.isLast = isLast
        fileName = name
        total = UploadFields.integer(headers.values(UploadFields.length))
        mediaType = headers["Content-Type"].flatMap(MediaType.validEssence)
        digest = headers.values("Repr-Digest").flatMap(ContentDigest.list).first { $0.algorithm == .sha256 }?.bytes
    }
}
