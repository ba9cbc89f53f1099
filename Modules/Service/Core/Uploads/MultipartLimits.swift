/// Limits of a form, besides the content of its parts.
struct MultipartLimits: Sendable, Hashable {
    /// Largest header of a part in bytes. Default 8 KiB.
    var headerBytes = 8 * 1024
    /// Most parts. Default 16.
    var parts = 16
    /// Most bytes before the first boundary, and after the last. Default 4 KiB.
    var aroundBytes = 4 * 1024
}
