/// A small tree without violations; every planted violation changes one thing in it.
extension Project {
    static let sound = Project(
        files: [
            SourceFile(
                path: "Modules/Domain/Tide.swift",
                text: "public import FoundationEssentials\n\npublic struct Tide: Sendable {}\n"),
            SourceFile(
                path: "Modules/Data/Caching/TideCache.swift",
                text: "import StrataDomain\nimport GRDB\n\nstruct TideCache {}\n"),
            SourceFile(path: "Modules/Service/Core/Server.swift", text: "import StrataDomain\n\nstruct Server {}\n"),
            SourceFile(
                path: "Modules/Features/Harbours/Domain/Harbour.swift",
                text: "import StrataDomain\n\nstruct Harbour {}\n"),
            SourceFile(
                path: "Modules/Features/Tides/Domain/Level.swift",
                text: "import StrataDomain\nimport HarboursDomain\n\nstruct Level {}\n"),
            SourceFile(path: "Modules/Features/Tides/Data/Rows.swift", text: "import TidesDomain\n\nstruct Rows {}\n"),
            SourceFile(path: "Modules/Clients/Buoys/Buoy.swift", text: "import StrataDomain\n\nstruct Buoy {}\n"),
            SourceFile(path: "Apps/CLI/main.swift", text: "import StrataCaching\n\nmain()\n"),
            SourceFile(path: "Apps/Backend/main.swift", text: "import StrataService\n\nmain()\n"),
            SourceFile(
                path: "Tests/Domain/TideTests.swift", text: "import Testing\n@testable import StrataDomain\n"),
        ],
        manifest: Manifest(
            targets: [
                .init("StrataDomain", at: "Modules/Domain"),
                .init("StrataCaching", at: "Modules/Data/Caching", uses: ["StrataDomain"], products: ["GRDB"]),
                .init("StrataService", at: "Modules/Service/Core", uses: ["StrataDomain"]),
                .init("HarboursDomain", at: "Modules/Features/Harbours/Domain", uses: ["StrataDomain"]),
                .init("TidesDomain", at: "Modules/Features/Tides/Domain", uses: ["StrataDomain", "HarboursDomain"]),
                .init("TidesData", at: "Modules/Features/Tides/Data", uses: ["TidesDomain"]),
                .init("Buoys", at: "Modules/Clients/Buoys", uses: ["StrataDomain"]),
                .init("tides", at: "Apps/CLI", uses: ["StrataCaching"]),
                .init("tides-server", at: "Apps/Backend", uses: ["StrataService"]),
                .init("StrataDomainTests", at: "Tests/Domain", uses: ["StrataDomain"], isTest: true),
            ],
            lines: [
                "let modules: [Module] = [",
                "    Module(\"StrataDomain\", .domain, at: \"Domain\"),",
                "    Module(\"StrataCaching\", .data, at: \"Data/Caching\", uses: [\"StrataDomain\"]),",
                "    Module(\"StrataService\", .service, at: \"Service/Core\", uses: [\"StrataDomain\"]),",
                "]",
                "    Feature(\"Harbours\", .remote)",
                "    Feature(\"Tides\", .remote)",
                "Module(\"tides\", .commandLine, at: \"Apps/CLI\"),",
                "Module(\"tides-server\", .backend, at: \"Apps/Backend\"),",
                ".tests(\"StrataDomainTests\", at: \"Domain\"),",
                "    Client(\"Buoys\")",
            ]))

    /// This tree with one more file.
    func adding(_ path: String, _ text: String) -> Project {
        var changed = self
        changed.files.append(SourceFile(path: path, text: text))
        return changed
    }

    /// This tree with one target changed.
    func changing(_ target: String, _ change: (inout Manifest.Target) -> Void) -> Project {
        var changed = self
        for index in changed.manifest.targets.indices where changed.manifest.targets[index].name == target {
            change(&changed.manifest.targets[index])
        }
        return changed
    }
}

extension Manifest.Target {
    init(_ name: String, at path: String, uses: [String] = [], products: [String] = [], isTest: Bool = false) {
        let isOfAService = Layer(path: path)?.isOfAService ?? false
        self.init(
            name: name, path: path, isTest: isTest, uses: uses, products: products, hasPackageAccess: !isOfAService)
    }
}
