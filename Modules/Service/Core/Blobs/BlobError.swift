import StrataSystem

/// A stored content that cannot be written or read.
public struct BlobError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The state of the content.
    enum Kind: Sendable, Hashable {
        /// It cannot be written or read now.
        case failed
        /// It does not exist.
        case lost
        /// It has another size or digest than the stored content.
        case damaged
    }

    /// What was tried, for people.
    public let action: String
    /// The path of the file; the id of a content in the database.
    public let path: String
    /// `errno`.
    public let code: CInt
    let kind: Kind

    init(_ action: String, _ path: String, _ error: Errno, _ kind: Kind = .failed) {
        self.action = action
        self.path = path
        self.code = error.rawValue
        self.kind = kind
    }

    /// The result of `body`.
    ///
    /// - Throws: `BlobError` with the action and the path.
    @discardableResult
    static func naming<Result>(
        _ action: String, _ path: String, _ body: () throws(Errno) -> Result
    ) throws(BlobError) -> Result {
        do throws(Errno) { return try body() } catch { throw BlobError(action, path, error) }
    }

    /// Whether the disk, or the share of the user, is full.
    var isFull: Bool { Errno(rawValue: code).isDiskFull || code == EFBIG }

    /// The error for a content that does not exist.
    static func lost(_ path: String) -> BlobError { BlobError("open", path, .noSuchFileOrDirectory, .lost) }

    /// The error for a content that differs from the stored one.
    static func damaged(_ path: String) -> BlobError { BlobError("use", path, .ioError, .damaged) }

    public var description: String {
        switch kind {
        case .failed: "Cannot \(action) '\(path)': \(Errno(rawValue: code))."
        case .lost: "The content '\(path)' does not exist; restore it from a backup."
        case .damaged: "The content '\(path)' differs from the stored one; restore it from a backup."
        }
    }
}
