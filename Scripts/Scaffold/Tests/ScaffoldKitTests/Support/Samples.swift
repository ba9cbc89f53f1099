import ScaffoldKit

/// Renders a handful of files, enough to be written, wired and taken out.
struct SmallRenderer: FeatureRenderer {
    func render(_ spec: FeatureSpec, from tree: SourceTree) throws(ScaffoldRefusal) -> RenderedFeature {
        let name = spec.name.upperCamel
        let module = spec.module
        let at = "Modules/Features/\(module)"
        let sees = spec.references.map { "\"\($0.module)\"" }.joined(separator: ", ")
        let imports = spec.references.map { "import \($0.module)Domain\n" }.joined()
        return RenderedFeature(
            files: [
                try RelativePath("\(at)/Domain/\(name).swift"):
                    "\(imports)package import StrataDomain\n\npackage struct \(name) {\n    package typealias ID = Identifier<\(name)>\n}\n",
                try RelativePath("\(at)/Domain/README.md"): "# \(module)Domain\n",
                try RelativePath("\(at)/API/\(name)Endpoints.swift"):
                    "import ArgumentParser\nimport GRDB\n\npackage struct List\(module) {\n    static let route = Route.get(\"/v1/\(spec.route)\")\n}\n",
                try RelativePath("\(at)/Service/\(module)Service.swift"):
                    "package struct \(module)Service {\n    let sql = \"CREATE TABLE \(spec.table) (id TEXT)\"\n}\n",
                try RelativePath("Tests/Features/\(module)/\(name)Tests.swift"):
                    "import Testing\n\n@Suite struct \(name)Tests {}\n",
                try RelativePath("Docs/Features/\(spec.plural.kebab).md"): "# \(spec.plural.title)\n",
            ],
            regionLines: [
                RegionLine(
                    file: "Package.swift", region: "features",
                    line: "Feature(\"\(module)\", .\(spec.policy.rawValue)\(sees.isEmpty ? "" : ", sees: [\(sees)]"))"),
                RegionLine(file: "Apps/Backend/Features.swift", region: "imports", line: "import \(module)Service"),
                RegionLine(file: "Apps/Backend/Features.swift", region: "features", line: "\(module)Service()"),
                RegionLine(
                    file: "Docs/Features/README.md", region: "features",
                    line: "- [\(spec.plural.title)](\(spec.plural.kebab).md)"),
            ])
    }
}

extension MemoryFileSystem {
    /// A repository with one feature, as small as can be.
    static func sample() -> MemoryFileSystem {
        MemoryFileSystem([
            "Package.swift": """
            let features = Rows<Feature> {
                // scaffold:begin features
                Feature("Runbooks", .cached)
                // scaffold:end features
            }.list

            """,
            "Apps/Backend/Features.swift": """
            // scaffold:begin imports
            import RunbooksService
            // scaffold:end imports

            let list = rows {
                // scaffold:begin features
                RunbooksService()
                // scaffold:end features
            }

            """,
            "Docs/Features/README.md": """
            # Features

            <!-- scaffold:begin features -->
            - [Runbooks](runbooks.md)
            <!-- scaffold:end features -->

            """,
            "Modules/Features/Runbooks/Domain/Runbook.swift": """
            package struct Runbook {
                package typealias ID = Identifier<Runbook>
            }

            """,
            "Modules/Features/Runbooks/API/RunbookEndpoints.swift": """
            package struct ListRunbooks {
                package static let route = Route.get("/v1/runbooks")
            }
            package struct WhoAmI {
                package static let route = Route.get("/v1/me")
            }
            package struct IssueKey {
                package static let route = Route.get("/v1/host-tokens")
            }

            """,
            "Modules/Features/Runbooks/Service/RunbookTable.swift": """
            let sql = \"\"\"
                CREATE TABLE runbook (id TEXT)
                CREATE TABLE app_member (id TEXT)
                /// CREATE TABLE comment_only (id TEXT)
                \"\"\"

            """,
            "Modules/Terminal/Commands/Groups.swift": """
            public struct SyncGroup: ParsableCommand {
                public static let configuration = CommandConfiguration(commandName: "outboxes")
            }
            private struct HiddenThing {}
            public enum Console {}

            """,
            "Tests/Features/Runbooks/RunbookTests.swift": "import RunbooksDomain\n",
        ])
    }
}

extension AddFeature.Request {
    static let incident = AddFeature.Request(
        name: "Incident",
        fields: "title:string(1..200) severity:enum(low,high) note:text? runbook:reference(Runbook)?", policy: .offline)
    static let checklist = AddFeature.Request(name: "Checklist", policy: .cached)
}

extension ScaffoldTool where Renderer == SmallRenderer {
    init(_ files: any FileSystem) { self.init(files, renderer: SmallRenderer()) }
}

/// The text of the refusal that `body` ends with; empty when it does not.
func refusal(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return ""
}
