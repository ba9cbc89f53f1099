/// How much of a form is read besides the content of its parts.
struct MultipartLimits: Sendable, Hashable {
    /// Largest header of one part, in bytes. Default 8 KiB.
    var headerBytes = 8 * 1024
    /// Most parts. Default 16.
    var parts = 16
    /// Most bytes before the first boundary, and again behind the last. Default 4 KiB.
    var aroundBytes = 4 * 1024
}
