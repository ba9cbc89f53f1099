/// Makes request bodies from files. The implementation lives in a module that may open files.
public protocol FileBodies: Sendable {
    /// The file at `path` in its current state. Each attempt reads it in pieces.
    ///
    /// - Throws: `.storage` unless the path names a readable regular file. The body throws `.storage` when the file
    ///   changed after this call.
    func body(ofFileAt path: String, contentType: String?) async throws(NetworkError) -> UploadBody
}
