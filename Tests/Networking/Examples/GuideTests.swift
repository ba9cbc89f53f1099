import Foundation
import Testing

/// The Swift in the guides is the Swift that runs here, word for word.
struct GuideTests {
    /// A source is a file of this folder, or a path below the root.
    private static let guides: [(page: String, sources: [String])] = [
        ("Testing.md", ["RepositoryExampleTests.swift"]),
        ("Offline-any-API.md", ["Tests/Offline/CRUDRemoteTests.swift", "Tests/Offline/AdoptionTests.swift"]),
        (
            "Attachments.md",
            [
                "Tests/Features/Attachments/Service/AttachmentsBackend.swift",
                "Tests/Features/Attachments/Shifts/Shift.swift", "Tests/EndToEnd/OwnersAttachmentsTests.swift",
            ]
        ),
        (
            "Pages.md",
            ["ShiftsPage", "ShiftsService", "OwnPageTests"].map { "Tests/Features/Accounts/OwnPages/\($0).swift" }
        ),
        (
            "Roles.md",
            [
                "Tests/Programs/Server/OwnRolesTests.swift", "Tests/Programs/Client/ClientProgramTests.swift",
                "Tests/Entities/ServiceRoleTests.swift", "Modules/Service/Core/Callers/Principal.swift",
            ]
        ),
        ("View.md", ["Tests/View/Sources/board/Board.swift", "Tests/View/Tests/boardTests/BoardTests.swift"]),
        (
            "APIKeyClient.md",
            ["GetForecast", "WeatherError", "WeatherClient"].map { "Modules/Clients/Weather/\($0).swift" } + [
                "Tests/Clients/Weather/WeatherClientTests.swift"
            ]
        ),
    ]

    /// Sections of pages whose other blocks are parts of programs.
    private static let sections: [(page: String, section: String, sources: [String])] = [
        ("Jobs.md", "### A receiver\n", ["Tests/Service/Webhooks/BillingHooks.swift"])
    ]

    @Test(arguments: guides)
    func `each block of a guide stands in a file that runs`(guide: (page: String, sources: [String])) throws {
        let blocks = Self.blocks(of: try Self.text("Docs/Guides/\(guide.page)"))
        #expect(blocks.count >= 3)
        try Self.expect(blocks, of: guide.page, in: guide.sources)
    }

    @Test(arguments: sections)
    func `each block of a section stands in a file that runs`(
        guide: (page: String, section: String, sources: [String])
    ) throws {
        let page = try Self.text("Docs/Guides/\(guide.page)")
        let section = try #require(page.components(separatedBy: guide.section).dropFirst().first)
        let blocks = Self.blocks(of: section.components(separatedBy: "\n## ")[0])
        #expect(!blocks.isEmpty)
        try Self.expect(blocks, of: guide.page, in: guide.sources)
    }

    /// - Parameter path: Of this folder, or below the root.
    private static func text(_ path: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: (path.contains("/") ? root : folder).appending(path: path), encoding: .utf8)
    }

    private static func expect(_ blocks: [String], of page: String, in sources: [String]) throws {
        let code = try sources.map(text).joined(separator: "\n")
        for block in blocks {
            #expect(flat(code).contains(flat(block)), "\(page) shows what does not run:\n\(block)")
        }
    }

    @Test func `a block that drifts is seen`() {
        let blocks = Self.blocks(of: "a\n```swift\nlet a = 1\n```\nb\n```sh\nls\n```\n```swift\n  let b = 2\n```\n")
        #expect(blocks == ["let a = 1\n", "  let b = 2\n"])
        #expect(Self.flat("    let a = 1\n    let c = 1\n").contains(Self.flat("let a = 1\n")))
        #expect(!Self.flat("let a = 12\n").contains(Self.flat("let a = 1\n")))
    }

    private static func blocks(of page: String) -> [String] {
        page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    /// Lines without their indentation, which is the page's own.
    private static func flat(_ code: String) -> String {
        "\n"
            + code.split(separator: "\n", omittingEmptySubsequences: true)
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n") + "\n"
    }
}
