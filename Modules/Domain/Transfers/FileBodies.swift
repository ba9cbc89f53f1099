/// Makes bodies of files. Domain states the need; whoever may open files fulfils it.
public protocol FileBodies: Sendable {
    /// The file at `path` as it is now, read in pieces when it is sent, and again for every attempt.
    ///
    /// - Throws: `.storage` for a path that names no readable regular file. The body throws `.storage` when the file was
    ///   changed meanwhile.
    func body(ofFileAt path: String, contentType: String?) async throws(NetworkError) -> UploadBody
}
