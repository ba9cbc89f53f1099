import StrataDomain

/// The failures of uploads that can be resumed. Types are those that the draft registers.
extension ServiceError {
    private static let types = "https://iana.org/assignments/http-problem-types#"

    /// 409: another request has added bytes, or an earlier one has not.
    static func uploadOffset(_ offset: Int, expected: Int) -> ServiceError {
        ServiceError(
            Problem(
                type: types + "mismatching-upload-offset", title: "Another offset", status: 409,
                detail:
                    "The upload has \(expected) bytes, and the request begins at byte \(offset); ask for the offset again.",
                code: "upload_offset_mismatch"),
            headers: [UploadFields.offset: "\(expected)", UploadFields.complete: UploadFields.text(false)])
    }

    static func uploadCompleted(at received: Int) -> ServiceError {
        ServiceError(
            Problem(
                type: types + "completed-upload", title: "Complete", status: 410,
                detail: "The upload is complete with \(received) bytes; nothing is left to send.",
                code: "upload_completed"),
            headers: [UploadFields.offset: "\(received)"])
    }

    static func uploadLength(_ detail: String) -> ServiceError {
        ServiceError(
            Problem(
                type: types + "inconsistent-upload-length", title: "Contradicting lengths", status: 400, detail: detail,
                code: "upload_length_mismatch"))
    }

    /// 422: nothing is stored.
    static let uploadDigest = ServiceError(
        422, code: "digest_mismatch", title: "Another content",
        detail: "The bytes that arrived do not have the SHA-256 in Repr-Digest; send the file again from its start.")

    static func tooManyUploads(limit: Int) -> ServiceError {
        ServiceError(
            429, code: "too_many_uploads", title: "Too many uploads",
            detail:
                "You have \(limit) unfinished uploads that are being sent; finish or cancel one. Try again in 60 s.",
            headers: ["Retry-After": "60"])
    }
}
