import FoundationEssentials

/// Limits of the unfinished uploads of one caller.
struct UploadLimits: Sendable, Hashable {
    /// Most unfinished uploads. One more ends the oldest that is idle. Default 16.
    var perCaller = 16
    /// Bytes of all unfinished uploads, in contents of the largest size. Default 4.
    var contents = 4
    /// An upload without a byte for this long is idle: a new one may take its place. Default 60 s.
    var idle: TimeInterval = 60
    /// How long an upload is kept after its last byte, and a complete one after its end. Default 24 h.
    var lifetime: TimeInterval = 24 * 3600

    func bytes(contentLimit: Int) -> Int {
        let (bytes, isTooLarge) = contentLimit.multipliedReportingOverflow(by: contents)
        return isTooLarge ? .max : bytes
    }
}
