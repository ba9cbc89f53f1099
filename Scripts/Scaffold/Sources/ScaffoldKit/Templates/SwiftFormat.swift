import Foundation

/// Gives source text the shape that a repository wants.
package protocol SourceFormatter: Sendable {
    /// - Parameter rules: The text of `.swift-format`.
    func formatted(_ files: [RelativePath: String], by rules: String) throws(ScaffoldRefusal) -> [RelativePath: String]
}

/// `swift format`, once for all files.
package struct SwiftFormat: SourceFormatter {
    package init() {}

    package func formatted(
        _ files: [RelativePath: String], by rules: String
    ) throws(ScaffoldRefusal) -> [RelativePath: String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "scaffold-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let configuration = folder.appending(path: "rules.json")
            try Data(rules.utf8).write(to: configuration)
            let sources = files.filter { $0.key.name.hasSuffix(".swift") }.sorted { $0.key < $1.key }
            var places: [(RelativePath, URL)] = []
            for (index, (path, text)) in sources.enumerated() {
                let place = folder.appending(path: "\(index).swift")
                try Data(text.utf8).write(to: place)
                places.append((path, place))
            }
            try Self.run(places.map(\.1.path), configuration.path)
            var formatted = files
            for (path, place) in places { formatted[path] = try String(contentsOf: place, encoding: .utf8) }
            return formatted
        } catch {
            throw ScaffoldRefusal(
                "The new files cannot be formatted: \(error). 'swift format' has to be there and to run.")
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func run(_ paths: [String], _ configuration: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["swift", "format", "format", "--in-place", "--parallel", "--configuration", configuration] + paths
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: String(text.prefix(400))) }
    }
}
