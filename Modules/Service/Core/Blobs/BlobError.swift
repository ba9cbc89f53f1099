import StrataSystem

/// A file that cannot be written or read; never the caller's fault.
public struct BlobError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What became of a content.
    enum Kind: Sendable, Hashable {
        /// It, or a new one, cannot be worked with now.
        case failed
        /// Its file is gone.
        case lost
        /// Its file is another than the one that was stored.
        case damaged
    }

    public let action: String
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

    /// What `body` returns.
    ///
    /// - Throws: `BlobError` that names what was tried with which file.
    @discardableResult
    static func naming<Result>(
        _ action: String, _ path: String, _ body: () throws(Errno) -> Result
    ) throws(BlobError) -> Result {
        do throws(Errno) { return try body() } catch { throw BlobError(action, path, error) }
    }

    /// Whether nothing more can be written for now.
    var isFull: Bool { Errno(rawValue: code).isDiskFull || code == EFBIG }

    /// A content that is not as it was written.
    static func damaged(_ path: String) -> BlobError { BlobError("use", path, .ioError, .damaged) }

    public var description: String {
        switch kind {
        case .failed: "Cannot \(action) '\(path)': \(Errno(rawValue: code))."
        case .lost: "The content '\(path)' is not there any more; put it back from a backup."
        case .damaged: "The content '\(path)' is not the one that was stored; put it back from a backup."
        }
    }
}
