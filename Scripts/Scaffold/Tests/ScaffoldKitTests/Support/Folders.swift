import Foundation
import ScaffoldKit

/// A folder on the disk for as long as `body` runs.
func withFolder(_ body: (LocalFileSystem, String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "scaffold-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let root = folder.resolvingSymlinksInPath().path(percentEncoded: false)
    try body(LocalFileSystem(root: root), root.hasSuffix("/") ? String(root.dropLast()) : root)
}

/// Makes a symbolic link to `target`.
func link(_ target: String, at path: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
}

/// This repository.
let repositoryRoot: String = {
    var url = URL(filePath: #filePath)
    for _ in 0..<6 { url.deleteLastPathComponent() }
    let path = url.path(percentEncoded: false)
    return path.hasSuffix("/") ? String(path.dropLast()) : path
}()
