import ScaffoldKit
import Synchronization

/// Files in memory, with folders and links, that behave like those on a disk.
final class MemoryFileSystem: FileSystem {
    private enum Node: Equatable {
        case file(FileContents)
        case folder
        case link
    }

    private let nodes: Mutex<[RelativePath: Node]>

    /// - Parameter files: Text by path; folders are made as needed.
    init(_ files: [RelativePath: String] = [:]) {
        var nodes: [RelativePath: Node] = [:]
        for (path, text) in files {
            nodes[path] = .file(FileContents(text))
            for folder in path.folders { nodes[folder] = .folder }
        }
        self.nodes = Mutex(nodes)
    }

    /// - Parameter snapshot: As another tree gives it.
    convenience init(_ snapshot: [RelativePath: FileContents?]) {
        self.init()
        nodes.withLock { $0 = snapshot.mapValues { contents in contents.map(Node.file) ?? .folder } }
    }

    /// Every file, for comparing trees.
    var files: [RelativePath: FileContents] {
        nodes.withLock { nodes in
            nodes.compactMapValues { node in if case .file(let contents) = node { contents } else { nil } }
        }
    }

    /// Every file and folder, for comparing trees to the last folder; a folder has no contents.
    var snapshot: [RelativePath: FileContents?] {
        nodes.withLock { nodes in
            nodes.mapValues { node in if case .file(let contents) = node { contents } else { nil } }
        }
    }

    /// Another tree with the same files.
    func copy() -> MemoryFileSystem {
        let other = MemoryFileSystem()
        let all = nodes.withLock { $0 }
        other.nodes.withLock { $0 = all }
        return other
    }

    func edit(_ path: RelativePath, _ text: String) {
        nodes.withLock { nodes in
            nodes[path] = .file(FileContents(text))
            for folder in path.folders { nodes[folder] = .folder }
        }
    }

    func discard(_ path: RelativePath) { nodes.withLock { $0[path] = nil } }

    func link(_ path: RelativePath) { nodes.withLock { $0[path] = .link } }

    // MARK: - FileSystem

    func kind(of path: RelativePath) throws(FileFault) -> FileKind? {
        if path == .root { return .folder }
        return nodes.withLock { nodes in
            switch nodes[path] {
            case .file: .file
            case .folder: .folder
            case .link: .link
            case nil: nil
            }
        }
    }

    func read(_ path: RelativePath) throws(FileFault) -> FileContents {
        guard case .file(let contents) = nodes.withLock({ $0[path] }) else {
            throw FileFault("read", path, "no such file or directory")
        }
        return contents
    }

    func names(in folder: RelativePath) throws(FileFault) -> [String] {
        nodes.withLock { nodes in nodes.keys.filter { $0.folder == folder }.map(\.name) }.sorted()
    }

    func create(_ path: RelativePath, _ contents: FileContents) throws(FileFault) {
        try put(path, .file(contents), "created")
    }

    func move(_ path: RelativePath, to other: RelativePath) throws(FileFault) {
        let contents = try read(path)
        guard try kind(of: other.folder ?? .root) == .folder, try kind(of: other) != .folder else {
            throw FileFault("written", other, "no such file or directory")
        }
        nodes.withLock { nodes in
            nodes[path] = nil
            nodes[other] = .file(contents)
        }
    }

    func remove(_ path: RelativePath) throws(FileFault) {
        guard let kind = try kind(of: path), kind != .folder else {
            throw FileFault("removed", path, "no such file or directory")
        }
        nodes.withLock { $0[path] = nil }
    }

    func createFolder(_ path: RelativePath) throws(FileFault) { try put(path, .folder, "created") }

    func link(_ path: RelativePath, to target: String) throws(FileFault) { try put(path, .link, "created") }

    func flush() throws(FileFault) {}

    func removeFolder(_ path: RelativePath) throws(FileFault) {
        guard try kind(of: path) == .folder, try names(in: path).isEmpty else {
            throw FileFault("removed", path, "directory not empty")
        }
        nodes.withLock { $0[path] = nil }
    }

    private func put(_ path: RelativePath, _ node: Node, _ doing: String) throws(FileFault) {
        guard try kind(of: path) == nil else { throw FileFault(doing, path, "file exists") }
        guard try kind(of: path.folder ?? .root) == .folder else {
            throw FileFault(doing, path, "no such file or directory")
        }
        nodes.withLock { $0[path] = node }
    }
}
