import Foundation

/// The sources and the manifest that the rules check.
struct Project: Sendable {
    var files: [SourceFile]
    var manifest: Manifest

    /// The target a file belongs to: the one with the longest folder around it.
    func target(of file: SourceFile) -> Manifest.Target? {
        manifest.targets.filter { file.path.hasPrefix($0.path + "/") }.max { $0.path.count < $1.path.count }
    }

    func files(of target: Manifest.Target) -> [SourceFile] {
        files.filter { self.target(of: $0)?.name == target.name }
    }

    /// Files below `Modules` and `Apps`.
    var shipped: [SourceFile] { files.filter { $0.path.hasPrefix("Modules/") || $0.path.hasPrefix("Apps/") } }
}

extension Project {
    /// The repository this file is part of.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The real tree, read once for all tests.
    static let real = Task { try await load() }

    private static func load() async throws -> Project {
        let dump = try await Command.swiftPackageDump(at: root)
        guard dump.status == 0 else { throw UnreadableManifest(text: dump.errors) }
        let text = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        return Project(
            files: try ["Apps", "Modules", "Tests"].flatMap(swiftFiles),
            manifest: try Manifest(dump: Data(dump.output.utf8), text: text))
    }

    private static func swiftFiles(below folder: String) throws -> [SourceFile] {
        let base = root.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        // The rules do not apply to nested packages.
        let packages = paths.filter { $0.hasSuffix("/Package.swift") }.map { $0.dropLast("Package.swift".count) }
        let ours = paths.filter { path in
            path.hasSuffix(".swift") && !path.contains(".build/") && !packages.contains { path.hasPrefix($0) }
        }
        return try ours.sorted().map { path in
            SourceFile(
                path: "\(folder)/\(path)",
                text: try String(contentsOf: base.appending(path: path), encoding: .utf8))
        }
    }

    struct UnreadableManifest: Error {
        let text: String
    }
}
