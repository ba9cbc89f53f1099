import Foundation
import Testing

@testable import ScaffoldKit

/// A template with the real manifest and a few small files, in a repository of its own.
struct SmallTemplate {
    let root: String
    private let git: Git

    init(in folder: String) throws {
        root = "\(folder)/template"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        git = Git(root)
        try write(try String(contentsOfFile: "\(repositoryRoot)/Package.swift", encoding: .utf8), to: "Package.swift")
        try write(".env\n", to: "Scripts/Scaffold/Service/.gitignore")
        for feature in ["Accounts", "Journal", "Runbooks", "Attachments", "Specimens"] {
            try write("// \(feature) of Shiftlog\n", to: "Modules/Features/\(feature)/Domain/\(feature).swift")
        }
        try write("// Strata\n", to: "Modules/Domain/Domain.swift")
        try write((1...30).map { "line \($0)\n" }.joined(), to: "Apps/CLI/Main.swift")
        try write("shiftlog\n", to: "Docs/Packaging/shiftlog.txt")
        try write("old\n", to: "Docs/Packaging/old.txt")
        try write("notes\n", to: "Docs/Packaging/notes.txt")
        _ = try git.lines(["init", "--quiet"])
        try commit("v1")
    }

    func write(_ text: String, to path: String) throws {
        let url = URL(filePath: "\(root)/\(path)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: "\(root)/\(path)") }

    func commit(_ message: String) throws { try Self.commit(message, in: root) }

    static func commit(_ message: String, in folder: String) throws {
        let git = Git(folder)
        _ = try git.lines(["add", "--all"])
        _ = try git.lines([
            "-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "commit",
            "--quiet",
            "--allow-empty", "--message", message,
        ])
    }

    /// Makes the service `Orders` in a repository with one commit.
    func makeService(
        in folder: String, features: String = "none", strata: StrataOrigin = .vendored, extras: [Extra] = []
    ) throws -> String {
        let place = "\(folder)/orders"
        let tree = try TemplateTree.checkedOut(at: root)
        let spec = ServiceSpec(name: "Orders", features: try tree.chosen(features), strata: strata, extras: extras)
        try NewService(spec, in: place, template: root, from: tree).write(secret: "0123456789abcdef")
        _ = try Git(place).lines(["init", "--quiet"])
        try Self.commit("start", in: place)
        return place
    }
}

/// Every file below a folder with its contents, Git's own left out.
func snapshot(_ root: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root)
    where !path.split(separator: "/").contains(".git") {
        found[path] = FileManager.default.contents(atPath: "\(root)/\(path)") ?? Data()
    }
    return found
}
