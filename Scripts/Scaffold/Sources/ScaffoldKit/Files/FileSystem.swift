/// The files below one root. No call reaches outside: a path through a symbolic link is refused.
package protocol FileSystem: Sendable {
    /// What is there, without following a link; `nil` when nothing is.
    func kind(of path: RelativePath) throws(FileFault) -> FileKind?
    func read(_ path: RelativePath) throws(FileFault) -> FileContents
    /// The names in a folder, sorted.
    func names(in folder: RelativePath) throws(FileFault) -> [String]
    /// Writes a file that is not there yet, in a folder that is.
    func create(_ path: RelativePath, _ contents: FileContents) throws(FileFault)
    /// Puts a file in the place of another, or where none was, at once.
    func move(_ path: RelativePath, to other: RelativePath) throws(FileFault)
    func remove(_ path: RelativePath) throws(FileFault)
    func createFolder(_ path: RelativePath) throws(FileFault)
    /// Removes a folder that is empty.
    func removeFolder(_ path: RelativePath) throws(FileFault)
    /// Makes a symbolic link to an absolute path outside.
    func link(_ path: RelativePath, to target: String) throws(FileFault)
    /// Returns once all that was done before would survive a loss of power.
    func flush() throws(FileFault)
}

package enum FileKind: Sendable, Hashable {
    case file
    case folder
    case link
    /// A socket, a device, a pipe.
    case other
}

/// The bytes of a file and whether it may be run.
package struct FileContents: Sendable, Hashable {
    package let bytes: [UInt8]
    package let isExecutable: Bool
    /// Whether nobody but the owner may read the file, from its first byte on. No part of what makes contents equal.
    package let isSecret: Bool

    package init(bytes: [UInt8], isExecutable: Bool = false, isSecret: Bool = false) {
        self.bytes = bytes
        self.isExecutable = isExecutable
        self.isSecret = isSecret
    }

    package init(_ text: String, isExecutable: Bool = false, isSecret: Bool = false) {
        self.init(bytes: Array(text.utf8), isExecutable: isExecutable, isSecret: isSecret)
    }

    package static func == (left: FileContents, right: FileContents) -> Bool {
        left.bytes == right.bytes && left.isExecutable == right.isExecutable
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
        hasher.combine(isExecutable)
    }

    /// `nil` for bytes that are not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }
    /// SHA-256 of the bytes, in hexadecimal.
    package var digest: String { SHA256.hexadecimal(of: bytes) }
}

/// A file that could not be read or written.
package struct FileFault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package init(_ doing: String, _ path: RelativePath, _ reason: String) {
        description = "\(path.components.isEmpty ? "The root" : "'\(path)'") cannot be \(doing): \(reason)."
    }
}

extension ScaffoldRefusal {
    package init(_ fault: FileFault) { self.init(fault.description) }
}
