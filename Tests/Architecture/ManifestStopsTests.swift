import Foundation
import Testing

/// The manifest's own check: an illegal row stops every `swift` command with an explanation.
@Suite struct ManifestStopsTests {
    private static let firstRow = "let core: [Module] = [\n"

    @Test func `an illegal edge stops the manifest with an explanation`() async throws {
        let result = try await dump(
            planting: #"Module("Planted", .domain, at: "Planted", uses: ["StrataOffline"]),"#)

        #expect(result.status != 0)
        #expect(result.errors.contains("Illegal edge: Planted (domain) may not use StrataOffline (data)."))
        #expect(!result.errors.contains("crashed"), "the sentence is enough")
    }

    @Test func `a client of an API may not use what stores, and a view may not use a client`() async throws {
        let client = try await dump(
            planting: #"Module("Planted", .client, at: "Clients/Planted", uses: ["StrataCaching"]),"#)
        #expect(client.errors.contains("Illegal edge: Planted (client) may not use StrataCaching (data)."))
        let view = try await dump(
            planting: #"Module("Planted", .featurePresentation, at: "Planted", uses: ["Weather"]),"#)
        #expect(view.errors.contains("Illegal edge: Planted (featurePresentation) may not use Weather (client)."))
    }

    @Test func `an edge to an unknown module stops the manifest`() async throws {
        let result = try await dump(planting: #"Module("Planted", .data, at: "Planted", uses: ["Nowhere"]),"#)

        #expect(result.status != 0)
        #expect(result.errors.contains("Illegal edge: Planted (data) may not use Nowhere (no such module)."))
    }

    @Test func `a legal row passes`() async throws {
        let result = try await dump(planting: #"Module("Planted", .data, at: "Planted", uses: ["StrataDomain"]),"#)

        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains(#""Planted""#))
    }

    /// Evaluates a copy of the manifest with one more row.
    private func dump(planting row: String) async throws -> Command.Result {
        let text = try String(contentsOf: Project.root.appending(path: "Package.swift"), encoding: .utf8)
        try #require(text.contains(Self.firstRow))
        let folder = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try text.replacing(Self.firstRow, with: Self.firstRow + row + "\n", maxReplacements: 1)
            .write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
        return try await Command.swiftPackageDump(at: folder)
    }
}
