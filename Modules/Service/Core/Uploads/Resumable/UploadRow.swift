import FoundationEssentials

/// An upload that can be resumed, as it is stored.
struct UploadRow: Sendable, Hashable {
    let id: String
    /// `Principal.key` of the caller who created it. Other callers do not find it.
    let owner: String
    /// The percent-encoded path of the request that created it.
    let target: String
    let fileName: String
    /// `type/subtype`; `nil` where the client named none.
    let mediaType: String?
    /// The SHA-256 that the client announced, if any.
    let digest: Data?
    /// The `Idempotency-Key` of the request that created it, if any.
    let key: String?
    var state: UploadState
    /// When it was created or the last bytes were stored.
    var at: Date
}
