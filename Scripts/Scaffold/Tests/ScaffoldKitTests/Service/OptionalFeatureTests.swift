import Foundation
import Testing

@testable import ScaffoldKit

struct OptionalFeatureTests {
    private static let lists = [
        "Apps/Backend/Features.swift", "Apps/CLI/Features/CommandSet+All.swift",
        "Apps/CLI/Features/Synchronised.swift",
    ]

    /// The files of a service made of a small template with the lists of the apps and the feature.
    private func service(features: String, withSpaces: Bool) throws -> [String: Data] {
        var found: [String: Data] = [:]
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            for list in Self.lists {
                try template.write(
                    try String(contentsOfFile: "\(repositoryRoot)/\(list)", encoding: .utf8), to: list)
            }
            try template.write("// Spaces\n", to: "Modules/Features/Spaces/Domain/Space.swift")
            try template.write("// Tests\n", to: "Tests/Features/Spaces/SpaceTests.swift")
            try template.write("// With others\n", to: "Tests/Features/Spaces/Template/OtherTests.swift")
            try template.write("// Wiring\n", to: "Scripts/Scaffold/Service/Apps/CLI/Features/CommandSet+Spaces.swift")
            try template.commit("spaces")
            let tree = try TemplateTree.checkedOut(at: template.root)
            let spec = ServiceSpec(
                name: "Orders", features: try tree.chosen(features, withSpaces: withSpaces), strata: .vendored)
            let place = "\(folder)/orders"
            try NewService(spec, in: place, template: template.root, from: tree).write(secret: "0123456789abcdef")
            found = try snapshot(place)
        }
        return found
    }

    @Test(arguments: ["none", "demo"])
    func `a service without spaces has no trace of them`(features: String) throws {
        let files = try service(features: features, withSpaces: false)
        #expect(files.keys.filter { $0.contains("Space") && !$0.hasPrefix("Strata/") } == [])
        for path in ["Package.swift"] + Self.lists {
            let text = String(decoding: try #require(files[path]), as: UTF8.self)
            #expect(!text.contains("Spaces") && !text.contains("spaces"), "\(path)")
        }
    }

    @Test func `a service with spaces has their sources, tests, wiring and a line in each list`() throws {
        let files = try service(features: "none", withSpaces: true)
        for path in [
            "Modules/Features/Spaces/Domain/Space.swift", "Tests/Features/Spaces/SpaceTests.swift",
            "Apps/CLI/Features/CommandSet+Spaces.swift",
        ] { #expect(files[path] != nil, "\(path)") }
        #expect(files["Tests/Features/Spaces/Template/OtherTests.swift"] == nil)
        let lines = [
            "Package.swift": #"Feature("Spaces", .remote, own: [.api, .data])"#,
            Self.lists[0]: "SpacesService()", Self.lists[1]: ".spaces,",
            Self.lists[2]: "Synchronised.entity(Space.self)",
        ]
        for (path, line) in lines {
            let text = String(decoding: try #require(files[path]), as: UTF8.self)
            #expect(text.contains(line), "\(path)")
        }
        let record = try TemplateRecord(FileContents(bytes: Array(try #require(files[".template.json"]))))
        #expect(record.answers.features == ["Spaces"])
    }
}
