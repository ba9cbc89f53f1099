import ScaffoldKit

extension MemoryFileSystem {
    /// A small repository with one feature, and the examples that others are copied from.
    static func sample() -> MemoryFileSystem {
        MemoryFileSystem([
            ".swift-format": "{}",
            "Package.swift": """
            let features = Rows<Feature> {
                // scaffold:begin features
                Feature("Runbooks", .cached)
                // scaffold:end features
            }.list
            let clients = Rows<Client> {
                Client("Weather")
                // scaffold:begin clients
                // scaffold:end clients
            }.list
            let libraries = [Library("apple/swift-crypto", "4.5.2", ["Crypto", "CryptoExtras"])]

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
            "Apps/CLI/Features/CommandSet+All.swift": """
            // scaffold:begin imports
            import StrataTerminal

            // scaffold:end imports
            let all = [
                // scaffold:begin features
                .runbooks,
                // scaffold:end features
            ]

            """,
            "Apps/CLI/Features/Synchronised.swift": """
            // scaffold:begin imports
            import StrataOffline
            // scaffold:end imports
            let all = rows {
                // scaffold:begin synchronised
                // scaffold:end synchronised
            }

            """,
            "Modules/Clients/Weather/README.md":
                "# Weather\n\nThe API at https://weather.example/api: a key in `X-API-Key`.\n",
            "Modules/Clients/Weather/WeatherClient.swift": """
            struct WeatherClient {
                ///   - key: Sent in `X-API-Key` to the origin of the address, and to no other.
                init(key: Secret, at address: String = "https://weather.example/api") {
                    auth: .apiKey(key, in: .header("X-API-Key"))
                }
            }

            """,
            "Modules/Domain/NetworkError.swift": "public struct NetworkError: Error {}\n",
            "Tests/Clients/Weather/WeatherClientTests.swift":
                "import Weather\n\nlet client = WeatherClient(key: Secret(\"k-123\"), transport: server)\n",
            "Modules/Features/Accounts/Domain/User.swift": "package struct User {}\n",
            "Modules/Features/Runbooks/Domain/Runbook.swift": """
            package import StrataDomain

            package struct Runbook: Entity {
                package static let noun = "runbook"
                package static let collection = "runbooks"
                package static let fields: [EntityField<Runbook>] = [
                    .init("title", \\.title, .line(1...200)).searchable,
                    .init("body", \\.body, .lines(1...65_536)),
                    .init("source", \\.source, .web).since(3),
                ]

                /// One line.
                package var title: String
                package var body: String
                package var source: URL?
                package var summary: String { String(body.prefix(80)) }
            }

            package struct Other {
                package var name: String
            }

            """,
            "Modules/Features/Specimens/README.md":
                "# Specimens\n\n`specimens list`, `GET /v1/specimens`: a specimen.\n",
            "Modules/Features/Specimens/Domain/Specimen.swift": """
            package import AccountsDomain
            package import FoundationEssentials
            package import StrataDomain

            /// The fields of a specimen.
            package struct Specimen: Entity {
                package static let noun = "specimen"
                package static let collection = "specimens"
                package static let fields: [EntityField<Specimen>] = [
                    .init("pet_name", \\.petName, .line(1...40)),
                    .init("diet", \\.diet),
                    .init("found_at", \\.foundAt),
                    .init("kept_by", \\.keptBy),
                ]

                package enum Diet: String, FieldChoice { case plants, insects }

                package var petName: String
                package var diet: Diet
                package var foundAt: Date
                package var keptBy: User.ID
            }

            """,
            "Modules/Features/Specimens/Service/SpecimensService.swift":
                "import SpecimensDomain\n\npackage struct SpecimensService {}\n",
            "Modules/Features/Specimens/Service/Offline/SpecimensService+Sync.swift":
                "extension SpecimensService { let synced = Specimen.self }\n",
            "Tests/Features/Specimens/SpecimenTests.swift":
                "import SpecimensDomain\n\n@Test func `specimens keep the contract`() {}\n",
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

extension AddClient.Request {
    static let tides = AddClient.Request(name: "Tides", baseURL: "https://tides.example/v1", auth: .bearer)
}

extension AddFeature {
    /// In a tree that has the example itself.
    init(_ request: Request, in tree: SourceTree) throws(ScaffoldRefusal) {
        try self.init(request, to: tree, from: tree, formatter: AsItIs())
    }
}

extension ScaffoldTool {
    init(_ files: any FileSystem) { self.init(files, strata: SourceTree(files), formatter: AsItIs()) }
}

/// Leaves the text as it is.
struct AsItIs: SourceFormatter {
    func formatted(_ files: [RelativePath: String], by rules: String) throws(ScaffoldRefusal) -> [RelativePath: String]
    {
        files
    }
}

/// The text of the refusal that `body` ends with; empty when it does not.
func refusal(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return ""
}
