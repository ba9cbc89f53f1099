// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One row per module. `layer` decides what a row may use; an illegal edge stops every build
// with the sentence at the end of this file. Features and tests are expanded by helpers below.

/// One row per feature, in order; `Scripts/new-feature` writes a row here, `Scripts/remove-feature` takes it out.
let features = Rows<Feature> {
    // scaffold:begin features
    Feature("Accounts", .remote, also: ["StrataTokens"])
    Feature("Attachments", .remote, also: ["StrataOffline"], sees: ["Journal"])
    Feature("Journal", .offline, also: ["JournalAPI"], external: [.grdb])
    Feature("Runbooks", .cached)
    // scaffold:end features
}.list

/// What `Scripts/new-feature` copies: every field type and every policy, tested like any feature, and in no app's commands.
let exemplar = Feature("Specimens", .cached, also: ["StrataOffline"], refersTo: ["Accounts"])

let core: [Module] = [
    // scaffold:only Template
    // Leaves: what every layer needs, once. Every module above Domain depends on them without saying so.
    Module("StrataSystem", .leaf, at: "System", external: [.systemPackage, .subprocess]),
    Module("StrataConcurrency", .leaf, at: "Concurrency", external: [.heap]),
    Module("StrataHTTP", .http, at: "HTTP"),

    // Domain: contracts and errors, pure.
    Module("StrataDomain", .domain, at: "Domain", uses: ["StrataHTTP"]),

    // Networking: one client, one pipeline, one module per transport.
    Module("CZlib", .systemLibrary, at: "Networking/CZlib"),
    Module(
        "StrataNetworking", .networking, at: "Networking/Core",
        uses: ["StrataDomain", "CZlib"], external: [.crypto, .logging, .metrics]),
    Module(
        "StrataAsyncHTTP", .transport, at: "Networking/AsyncHTTP", uses: ["StrataDomain", "StrataNetworking"],
        external: [.asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix, .nioSSL]),
    Module(
        "StrataProxy", .proxy, at: "Networking/Proxy", uses: ["StrataDomain", "StrataNetworking"],
        external: [.hummingbirdCore, .httpTypes, .logging, .nioCore, .nioHTTP1, .nioPosix]),
    Module(
        "StrataURLSession", .transport, at: "Networking/URLSession", uses: ["StrataDomain", "StrataNetworking"]),

    // Data: what a client keeps.
    Module(
        "StrataTokens", .data, at: "Data/Tokens", uses: ["StrataDomain"], external: [.logging]),
    Module(
        "StrataCaching", .data, at: "Data/Caching", uses: ["StrataDomain", "StrataNetworking", "CZlib"],
        external: [.grdb, .grdbSQLite, .crypto, .logging]),
    Module(
        "StrataOffline", .data, at: "Data/Offline", uses: ["StrataDomain"],
        external: [.grdb, .grdbSQLite, .crypto, .logging]),

    // Service: the same contracts, mounted.
    Module(
        "StrataService", .service, at: "Service/Core", uses: ["StrataDomain"],
        external: [
            .hummingbird, .hummingbirdCore, .jwtKit, .crypto, .cryptoExtras, .lifecycle, .logging, .metrics,
            .nioCore, .nioPosix, .nioHTTP1, .httpTypes,
        ]),
    Module(
        "StrataSQLite", .store, at: "Service/SQLite", uses: ["StrataService"], external: [.grdb, .logging]),

    // Terminal and doubles.
    Module("StrataTerminal", .terminal, at: "Terminal", uses: ["StrataDomain"], external: [.argumentParser]),
    Module(
        "StrataTesting", .testing, at: "Testing", uses: ["StrataDomain", "StrataNetworking"],
        external: [.logging]),
    Module(
        "StrataFeatureTesting", .featureTesting, at: "FeatureTesting",
        uses: [
            "StrataDomain", "StrataNetworking", "StrataService", "StrataSQLite", "StrataTerminal", "StrataTesting",
        ], external: [.hummingbirdTesting, .httpTypes, .logging, .nioCore]),
    // scaffold:end-only
]

/// Modules that another package brings, each with its layer. Strata's own are rows above.
let brought: [String: Layer] = [:]

let modules = core + (features + [exemplar]).flatMap(\.modules)

let apps: [Module] = [
    Module(
        "shiftlog", .commandLine, at: "Apps/CLI",
        uses: [
            "StrataDomain", "StrataNetworking", "StrataAsyncHTTP", "StrataProxy", "StrataTokens", "StrataCaching",
            "StrataOffline", "StrataTerminal",
        ] + (features + [exemplar]).flatMap { [$0.domain, $0.data, $0.presentation] },
        external: [.argumentParser, .logging]),
    Module(
        "shiftlog-server", .backend, at: "Apps/Backend",
        uses: ["StrataDomain", "StrataService", "StrataSQLite", "AccountsDomain"] + features.map(\.service),
        external: [.argumentParser, .lifecycle, .unixSignals, .configuration, .logging, .metrics]),
]

let tests: [Target] =
    [
        // scaffold:only Template
        .tests("StrataSystem", at: "System", uses: ["StrataTesting"]),
        .tests("StrataConcurrency", at: "Concurrency", uses: ["StrataTesting"]),
        .tests("StrataHTTP", at: "HTTP"),
        .tests("StrataDomain", at: "Domain", uses: ["StrataTesting"]),
        .tests(
            "StrataNetworking", at: "Networking",
            uses: [
                "CZlib", "StrataDomain", "StrataAsyncHTTP", "StrataProxy", "StrataURLSession", "StrataTesting",
            ],
            external: [.crypto, .httpTypes, .logging, .metrics, .nioCore, .nioHTTP1, .nioPosix, .nioSSL]),
        .tests(
            "StrataTokens", at: "Tokens", uses: ["StrataDomain", "StrataNetworking", "StrataTesting"],
            external: [.httpTypes, .logging]),
        .tests(
            "StrataCaching", at: "Caching", uses: ["StrataDomain", "StrataNetworking", "StrataTesting"],
            external: [.grdb, .httpTypes, .logging]),
        .tests("StrataOffline", at: "Offline", uses: ["StrataDomain", "StrataTesting"], external: [.grdb, .logging]),
        .tests(
            "Simulation", at: "Simulation", uses: ["StrataOffline", "StrataDomain", "StrataTesting"],
            external: [.grdb, .logging], testing: []),
        .tests(
            "StrataService", at: "Service",
            uses: ["StrataDomain", "StrataSQLite", "StrataTesting"],
            external: [
                .hummingbird, .hummingbirdTesting, .jwtKit, .crypto, .grdb, .lifecycle, .metrics, .logging, .httpTypes,
                .nioCore, .nioPosix,
            ]),
        .tests(
            "StrataTerminal", at: "Terminal", uses: ["StrataDomain", "StrataTesting"], external: [.argumentParser]),
        // scaffold:end-only
    ]
    + (features + [exemplar]).map { feature in
        .tests(
            feature.name, at: "Features/\(feature.name)",
            uses: [
                "StrataDomain", "StrataNetworking", "StrataCaching", "StrataOffline", "StrataTokens", "StrataService",
                "StrataSQLite", "StrataTerminal", "StrataTesting", "StrataFeatureTesting", feature.domain, feature.api,
                feature.data,
                feature.service, feature.presentation,
            ] + feature.sees.flatMap { ["\($0)Domain", "\($0)API", "\($0)Service"] },
            external: [
                .crypto, .grdb, .hummingbird, .hummingbirdTesting, .httpTypes, .logging, .nioCore, .argumentParser,
            ], testing: [])
    } + [
        .tests("Architecture", at: "Architecture", testing: []),
        .tests(
            "Backend", at: "Apps/Backend", uses: ["shiftlog-server", "StrataDomain", "StrataService", "StrataSQLite"],
            external: [.logging], testing: []),
        .tests(
            "EndToEnd", at: "EndToEnd",
            uses: [
                "shiftlog", "shiftlog-server", "StrataDomain", "StrataNetworking", "StrataAsyncHTTP", "StrataTokens",
                "StrataTesting", "AccountsDomain", "AccountsAPI", "AccountsData",
            ], external: [.grdb], testing: []),
    ]

let package = Package(
    name: "Strata",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "shiftlog", targets: ["shiftlog"]),
        .executable(name: "shiftlog-server", targets: ["shiftlog-server"]),
    ] + modules.filter { $0.name.hasPrefix("Strata") }.map { .library(name: $0.name, targets: [$0.name]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // scaffold:only Template
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // scaffold:end-only
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["JSON"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // scaffold:only Template
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        // scaffold:end-only
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // scaffold:only Template
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // scaffold:end-only
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // scaffold:only Template
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        // scaffold:end-only
    ],
    targets: checked(modules).map(\.target) + checked(apps).map(\.executable) + tests.filter(isSelected)
)

// scaffold:only Template
// MARK: - Fetched for another package

// Then this one is its libraries: the other has features and apps of its own, and a build may have a target's name only once.
// The package manager's folder `checkouts` has the folder `repositories` beside it.
let place = URL(filePath: Context.packageDirectory).deletingLastPathComponent()
if place.lastPathComponent == "checkouts",
    FileManager.default.fileExists(atPath: place.deletingLastPathComponent().appending(path: "repositories").path)
{
    let libraries = Set(core.map(\.name))
    package.products.removeAll { !libraries.contains($0.name) }
    package.targets.removeAll { !libraries.contains($0.name) }
}
// scaffold:end-only

// MARK: - Layers

/// Who lives where, and whom each layer may see.
enum Layer: String {
    case leaf, http, domain, systemLibrary, networking, transport, proxy, data, service, store, terminal, testing,
        featureTesting
    case featureDomain, featureAPI, featureData, featureService, featurePresentation
    case commandLine, backend

    static let leaves = ["StrataSystem", "StrataConcurrency", "StrataHTTP"]

    /// Whether its modules depend on the leaves without saying so.
    var usesLeaves: Bool {
        switch self {
        case .leaf, .http, .domain, .systemLibrary, .featureDomain, .featureAPI: false
        default: true
        }
    }

    var mayUse: Set<Layer> {
        switch self {
        case .leaf, .http, .systemLibrary: []
        case .domain: [.http]
        case .networking: [.domain, .systemLibrary]
        case .service, .terminal: [.domain]
        case .transport, .proxy: [.domain, .networking]
        case .data: [.domain, .networking, .systemLibrary]
        case .testing: [.domain, .networking]
        case .store: [.domain, .service]
        case .featureTesting: [.domain, .networking, .service, .store, .terminal, .testing]
        case .featureDomain: [.domain, .featureDomain]
        case .featureAPI: [.domain, .featureDomain]
        case .featureData: [.domain, .data, .featureDomain, .featureAPI]
        case .featureService: [.domain, .service, .featureDomain, .featureAPI]
        case .featurePresentation: [.domain, .terminal, .featureDomain]
        case .commandLine:
            [
                .domain, .networking, .transport, .proxy, .data, .terminal, .featureDomain, .featureAPI, .featureData,
                .featurePresentation,
            ]
        case .backend: [.domain, .networking, .service, .store, .featureDomain, .featureAPI, .featureService]
        }
    }
}

/// A row of the layer table.
struct Module {
    let name: String
    let layer: Layer
    let path: String
    let uses: [String]
    let external: [Target.Dependency]

    init(
        _ name: String, _ layer: Layer, at path: String, uses: [String] = [], external: [Target.Dependency] = []
    ) {
        self.name = name
        self.layer = layer
        self.path = path
        self.uses = uses
        self.external = external
    }

    var dependencies: [Target.Dependency] {
        ((layer.usesLeaves ? Layer.leaves : []) + uses).map { .module($0) } + external
    }

    var target: Target {
        layer == .systemLibrary
            ? .systemLibrary(name: name, path: "Modules/\(path)", providers: [.apt(["zlib1g-dev"])])
            : .target(
                name: name, dependencies: dependencies, path: "Modules/\(path)", exclude: ["README.md"],
                swiftSettings: .strict)
    }

    var executable: Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: path, exclude: ["README.md"], swiftSettings: .strict)
    }
}

/// A row of the list of features; it stands for five modules and a test target.
struct Feature {
    let name: String
    private let also: [String]
    /// Features whose Domain all its parts speak of. Nothing else of another feature may be seen.
    let sees: [String]
    private let referred: [String]
    private let external: [Target.Dependency]
    private let policy: Policy

    /// What its Data part keeps of the server's answers.
    enum Policy {
        /// Nothing.
        case remote
        /// Answers, in the response cache.
        case cached
        /// Rows of its own, in the offline store.
        case offline
    }

    /// - Parameters:
    ///   - also: What else its Data part uses.
    ///   - external: Products its Data part uses.
    ///   - referred: Features whose ids its Domain names.
    init(
        _ name: String, _ policy: Policy, also: [String] = [], external: [Target.Dependency] = [], sees: [String] = [],
        refersTo referred: [String] = []
    ) {
        self.name = name
        self.policy = policy
        self.also = also
        self.external = external
        self.sees = sees
        self.referred = referred
    }

    var domain: String { "\(name)Domain" }
    var api: String { "\(name)API" }
    var data: String { "\(name)Data" }
    var service: String { "\(name)Service" }
    var presentation: String { "\(name)Presentation" }

    var modules: [Module] {
        let at = "Features/\(name)"
        let own = ["StrataDomain", domain]
        let others = sees.map { "\($0)Domain" }
        // What works offline speaks to the sync engine alone, and says so where it calls endpoints, too.
        let keeps = policy == .offline ? ["StrataOffline"] : policy == .cached ? [api, "StrataCaching"] : [api]
        return [
            Module(
                domain, .featureDomain, at: "\(at)/Domain",
                uses: ["StrataDomain"] + (sees + referred).map { "\($0)Domain" }),
            Module(api, .featureAPI, at: "\(at)/API", uses: own + others),
            Module(
                data, .featureData, at: "\(at)/Data", uses: own + keeps + also + others, external: external),
            Module(service, .featureService, at: "\(at)/Service", uses: own + ["StrataService", api] + others),
            Module(
                presentation, .featurePresentation, at: "\(at)/Presentation", uses: own + ["StrataTerminal"] + others,
                external: [.argumentParser]),
        ]
    }
}

/// Values one below the other, without commas: a list that may have any number of them, none and one included.
@resultBuilder struct Rows<Row> {
    let list: [Row]

    init(@Rows list: () -> [Row]) { self.list = list() }

    static func buildBlock(_ rows: Row...) -> [Row] { rows }
}

/// The rows, after every edge was looked up in the layer table.
func checked(_ rows: [Module]) -> [Module] {
    let layers = Dictionary(uniqueKeysWithValues: (modules + apps).map { ($0.name, $0.layer) })
        .merging(brought) { ours, _ in ours }
    for row in rows {
        for used in row.uses {
            let layer = layers[used]
            precondition(
                layer.map(row.layer.mayUse.contains) ?? false,
                "Illegal edge: \(row.name) (\(row.layer)) may not use \(used) (\(layer?.rawValue ?? "no such module"))."
            )
        }
    }
    return rows
}

/// `STRATA_TESTS=AccountsTests,ArchitectureTests` builds and runs these test targets only; without it, all.
func isSelected(_ test: Target) -> Bool {
    guard let names = Context.environment["STRATA_TESTS"] else { return true }
    return names.split(separator: ",").contains { $0 == test.name }
}

extension [SwiftSetting] {
    /// Swift 6 mode comes with the tools version; these make imports private, visible and every warning an error.
    static var strict: [SwiftSetting] {
        [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .treatAllWarnings(as: .error),
        ] + (Context.environment["STRATA_SANITIZE"] == "thread" ? [.define("THREAD_SANITIZER")] : [])
    }
}

extension Target {
    /// The tests of one module, in a tree that mirrors `Modules`.
    static func tests(
        _ name: String, at path: String, uses: [String] = [], external: [Target.Dependency] = [],
        testing: [String]? = nil
    ) -> Target {
        .testTarget(
            name: "\(name)Tests",
            dependencies: Set((testing ?? [name]) + uses + Layer.leaves).sorted().map { .module($0) } + external,
            path: "Tests/\(path)", swiftSettings: .strict)
    }
}

extension Target.Dependency {
    /// A row of ours, or a library of the package that brings it.
    static func module(_ name: String) -> Self {
        brought[name] == nil ? .target(name: name) : .product(name: name, package: "Strata")
    }

    static var argumentParser: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
    static var asyncAlgorithms: Self { .product(name: "AsyncAlgorithms", package: "swift-async-algorithms") }
    static var asyncHTTPClient: Self { .product(name: "AsyncHTTPClient", package: "async-http-client") }
    static var collections: Self { .product(name: "Collections", package: "swift-collections") }
    static var heap: Self { .product(name: "HeapModule", package: "swift-collections") }
    static var configuration: Self { .product(name: "Configuration", package: "swift-configuration") }
    static var crypto: Self { .product(name: "Crypto", package: "swift-crypto") }
    static var cryptoExtras: Self { .product(name: "CryptoExtras", package: "swift-crypto") }
    static var grdb: Self { .product(name: "GRDB", package: "GRDB.swift") }
    static var grdbSQLite: Self { .product(name: "GRDBSQLite", package: "GRDB.swift") }
    static var httpTypes: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
    static var hummingbird: Self { .product(name: "Hummingbird", package: "hummingbird") }
    static var hummingbirdCore: Self { .product(name: "HummingbirdCore", package: "hummingbird") }
    static var hummingbirdTesting: Self { .product(name: "HummingbirdTesting", package: "hummingbird") }
    static var jwtKit: Self { .product(name: "JWTKit", package: "jwt-kit") }
    static var lifecycle: Self { .product(name: "ServiceLifecycle", package: "swift-service-lifecycle") }
    static var logging: Self { .product(name: "Logging", package: "swift-log") }
    static var metrics: Self { .product(name: "Metrics", package: "swift-metrics") }
    static var subprocess: Self { .product(name: "Subprocess", package: "swift-subprocess") }
    static var systemPackage: Self { .product(name: "SystemPackage", package: "swift-system") }
    static var unixSignals: Self { .product(name: "UnixSignals", package: "swift-service-lifecycle") }
    static var nioCore: Self { .product(name: "NIOCore", package: "swift-nio") }
    static var nioHTTP1: Self { .product(name: "NIOHTTP1", package: "swift-nio") }
    static var nioPosix: Self { .product(name: "NIOPosix", package: "swift-nio") }
    static var nioSSL: Self { .product(name: "NIOSSL", package: "swift-nio-ssl") }
}
