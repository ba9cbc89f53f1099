import ScaffoldKit
import Synchronization

/// Files in memory, of which a loss of power leaves what was flushed, and of the rest whatever chance has written by then.
final class VolatileFileSystem: FileSystem {
    private enum Kind {
        case file(FileContents)
        case folder
    }

    /// A file or a folder, whatever it is called.
    private struct Node {
        var kind: Kind
        /// Contents that are on the disk; `nil` before the first flush.
        var flushed: FileContents?
        /// Names in a folder, as they are and as they are on the disk.
        var names: [String: Int] = [:]
        var flushedNames: [String: Int] = [:]

        /// The same, flushed.
        var onDisk: Node {
            var node = self
            node.flushedNames = names
            if case .file(let contents) = kind { node.flushed = contents }
            return node
        }
    }

    private let nodes: Mutex<[Int: Node]>
    private let flushes = Mutex(0)
    private let lost: Int?

    /// - Parameters:
    ///   - files: What is on the disk from the start.
    ///   - lost: The flush that does nothing, the first being 0; a runner that could do without it flushes too often.
    init(_ files: [RelativePath: FileContents?], losing lost: Int? = nil) {
        self.lost = lost
        nodes = Mutex([0: Node(kind: .folder)])
        for (path, contents) in files.sorted(by: { $0.key < $1.key }) {
            try? add(path, contents.map(Kind.file) ?? .folder)
        }
        nodes.withLock { nodes in
            nodes = nodes.mapValues(\.onDisk)
        }
    }

    /// What is there after a loss of power now.
    func afterPowerLoss(_ random: inout some RandomNumberGenerator) -> [RelativePath: FileContents?] {
        let all = nodes.withLock { $0 }
        var found: [RelativePath: FileContents?] = [:]
        func visit(_ id: Int, at path: RelativePath) {
            guard let node = all[id] else { return }
            if case .file(let contents) = node.kind {
                let parts = contents.bytes.prefix(Int.random(in: 0...contents.bytes.count, using: &random))
                let written = Bool.random(using: &random) ? contents : FileContents(bytes: Array(parts))
                found[path] = node.flushed ?? written
                return
            }
            if path != .root { found[path] = .some(nil) }
            for name in Set(node.names.keys).union(node.flushedNames.keys).sorted() {
                let id = Bool.random(using: &random) ? node.names[name] : node.flushedNames[name]
                if let id, let inner = try? path.appending(name) { visit(id, at: inner) }
            }
        }
        visit(0, at: .root)
        return found
    }

    // MARK: - FileSystem

    func kind(of path: RelativePath) throws(FileFault) -> FileKind? {
        switch node(path)?.kind {
        case .file: .file
        case .folder: .folder
        case nil: nil
        }
    }

    func read(_ path: RelativePath) throws(FileFault) -> FileContents {
        guard case .file(let contents) = node(path)?.kind else { throw FileFault("read", path, "it is no file") }
        return contents
    }

    func names(in folder: RelativePath) throws(FileFault) -> [String] { node(folder)?.names.keys.sorted() ?? [] }

    func create(_ path: RelativePath, _ contents: FileContents) throws(FileFault) { try add(path, .file(contents)) }
    func createFolder(_ path: RelativePath) throws(FileFault) { try add(path, .folder) }

    func move(_ path: RelativePath, to other: RelativePath) throws(FileFault) {
        guard let moved = id(path), let from = id(path.folder ?? .root), let to = id(other.folder ?? .root) else {
            throw FileFault("moved", path, "no such file or directory")
        }
        nodes.withLock { nodes in
            nodes[from]?.names[path.name] = nil
            nodes[to]?.names[other.name] = moved
        }
    }

    func remove(_ path: RelativePath) throws(FileFault) { try unname(path) }

    func removeFolder(_ path: RelativePath) throws(FileFault) {
        guard node(path)?.names.isEmpty == true else { throw FileFault("removed", path, "directory not empty") }
        try unname(path)
    }

    func link(_ path: RelativePath, to target: String) throws(FileFault) {
        throw FileFault("created", path, "there are no links here")
    }

    func flush() throws(FileFault) {
        let number = flushes.withLock { flushes in
            flushes += 1
            return flushes - 1
        }
        if number != lost { nodes.withLock { nodes in nodes = nodes.mapValues(\.onDisk) } }
    }

    // MARK: - Details

    private func id(_ path: RelativePath) -> Int? {
        nodes.withLock { nodes in
            path.components.reduce(Optional(0)) { id, name in id.flatMap { nodes[$0]?.names[name] } }
        }
    }

    private func node(_ path: RelativePath) -> Node? { id(path).flatMap { id in nodes.withLock { $0[id] } } }

    private func add(_ path: RelativePath, _ kind: Kind) throws(FileFault) {
        guard id(path) == nil, let folder = id(path.folder ?? .root) else {
            throw FileFault("created", path, "file exists")
        }
        nodes.withLock { nodes in
            let id = nodes.count
            nodes[id] = Node(kind: kind)
            nodes[folder]?.names[path.name] = id
        }
    }

    private func unname(_ path: RelativePath) throws(FileFault) {
        guard id(path) != nil, let folder = id(path.folder ?? .root) else {
            throw FileFault("removed", path, "no such file or directory")
        }
        nodes.withLock { nodes in nodes[folder]?.names[path.name] = nil }
    }
}

/// A sequence of numbers that is the same for the same seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
