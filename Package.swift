// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One row per module. Its layer decides what it may use; an illegal edge stops every build with a sentence.

/// Whether libpq's header is installed; without it PostgreSQL is left out. `STRATA_POSTGRES=1` or `0` decides it instead.
let hasPostgres =
    Context.environment["STRATA_POSTGRES"].map { $0 == "1" }
    ?? ["", "/postgresql"].contains { FileManager.default.fileExists(atPath: "/usr/include\($0)/libpq-fe.h") }

// scaffold:only Template
// Another package that uses this one has features and apps of its own, and a build may have a target's name only once. So
// nothing else is here then: fetched, in the package manager's folder `checkouts`, or as the folder `Strata` of a service.
let place = URL(filePath: Context.packageDirectory).deletingLastPathComponent()
let mark = place.lastPathComponent == "checkouts" ? "../repositories" : ".template.json"
let isUsedByAnother = FileManager.default.fileExists(atPath: place.appending(path: mark).path)
/// The variable says so of a service that names the path of this package; its modules are then compiled as those of this package are.
let isDependency = isUsedByAnother || Context.environment["STRATA_IS_DEPENDENCY"] == "1"

// scaffold:end-only
/// In CI alone, where forges set the variable, as `.ci/run` of a service does: while one tries, an unused import stops nothing.
let warningsAreErrors = Context.environment["CI"] == "true" && !isUsedByAnother

/// One row per feature, in order; `Scripts/new-feature` writes a row here, `Scripts/remove-feature` takes it out.
let features = Rows<Feature> {
    // scaffold:begin features
    Feature("Attachments", .remote, own: [.api, .data], also: ["StrataOffline"], sees: ["Journal"])
    Feature("Journal", .offline)
    Feature("Runbooks", .cached)
    // scaffold:end features
}.list

/// Logins, which every service has from Strata.
let accounts = Feature("Accounts", .remote, own: [.api, .data], also: ["StrataTokens"], pages: ["Mustache"])

// scaffold:only Template
/// Groups of users with rows of their own, which a service has where `Scripts/new-service --spaces` brings them; in no app of the demo.
let spaces = Feature("Spaces", .remote, own: [.api, .data], tested: ["Attachments", "Journal"])

/// What `Scripts/new-feature` copies: every field type and every policy, tested like any feature, and in no app's commands.
let exemplar = Feature("Specimens", .cached, refersTo: ["Accounts"])
// scaffold:end-only

/// The features whose sources are in this package.
let ownFeatures = features + [accounts, exemplar, spaces]

/// One row per client of an API that is not ours, in order; `Scripts/new-client` writes a row here, `Scripts/remove-client` takes it out.
let clients = Rows<Client> {
    // scaffold:only Template
    // What `Scripts/new-client` copies, and the guide shows; in no app.
    Client("Weather")
    // scaffold:end-only
    // scaffold:begin clients
    // scaffold:end clients
}.list

/// `uses` names modules and products of libraries, without what a layer always has (`Layer.basis`). `tests` names what the module's
/// tests use besides; a row without it is tested with another module.
let core: [Module] = [
    // scaffold:only Template
    Module("StrataSystem", .leaf, at: "System", uses: ["SystemPackage", "Subprocess"], tests: []),
    Module("StrataConcurrency", .leaf, at: "Concurrency", uses: ["HeapModule"], tests: []),
    Module("StrataHTTP", .http, at: "HTTP", tests: []),
    Module("StrataDomain", .domain, at: "Domain", uses: ["StrataHTTP"], tests: []),

    Module("CZlib", .systemLibrary, at: "Networking/CZlib"),
    Module(
        "StrataNetworking", .networking, at: "Networking/Core", uses: ["CZlib", "Crypto", "Logging", "Metrics"],
        tests: [
            "StrataAsyncHTTP", "StrataProxy", "StrataURLSession", "AsyncHTTPClient", "CZlib", "Crypto", "HTTPTypes",
            "Logging", "Metrics", "NIOCore",
        ]),
    Module(
        "StrataAsyncHTTP", .transport, at: "Networking/AsyncHTTP",
        uses: ["AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL"]),
    Module(
        "StrataProxy", .proxy, at: "Networking/Proxy",
        uses: ["HummingbirdCore", "HTTPTypes", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix"]),
    Module("StrataURLSession", .transport, at: "Networking/URLSession"),
    Module(
        "StrataClient", .frontDoor, at: "Networking/Client",
        uses: ["StrataNetworking", "StrataAsyncHTTP", "StrataTokens", "StrataCaching"]),

    Module(
        "StrataTokens", .data, at: "Data/Tokens", uses: ["StrataNetworking", "Crypto", "Logging"],
        tests: ["StrataNetworking", "HTTPTypes", "Logging"]),
    Module(
        "StrataCaching", .data, at: "Data/Caching",
        uses: ["StrataNetworking", "CZlib", "GRDB", "GRDBSQLite", "Crypto", "Logging"],
        tests: ["StrataNetworking", "StrataHTTPCache", "GRDB", "HTTPTypes", "Logging"]),
    Module("StrataHTTPCache", .httpCache, at: "Data/HTTPCache", uses: ["StrataCaching", "Crypto", "Logging"]),
    Module(
        "StrataOffline", .data, at: "Data/Offline", uses: ["GRDB", "GRDBSQLite", "Crypto", "Logging"],
        tests: ["GRDB", "Logging"]),

    Module("CViewer", .assets, at: "Service/Viewer"),
    Module(
        "StrataService", .service, at: "Service/Core",
        uses: [
            "CViewer", "Hummingbird", "HummingbirdCore", "JWTKit", "Crypto", "CryptoExtras", "ServiceLifecycle",
            "Instrumentation", "Logging", "Metrics", "Tracing", "HTTPTypes", "NIOCore", "NIOHTTP1", "NIOPosix",
        ],
        tests: [
            "StrataNetworking", "StrataAsyncHTTP", "StrataSQLite", "StrataPostgres", "StrataFeatureTesting",
            "Hummingbird", "HummingbirdTesting", "JWTKit", "Crypto", "CryptoExtras", "GRDB", "ServiceLifecycle",
            "InMemoryTracing", "Logging", "Metrics", "Tracing", "HTTPTypes", "NIOCore", "NIOPosix",
        ]),
    Module("StrataSQLite", .store, at: "Service/SQLite", uses: ["GRDB", "GRDBSQLite", "Logging"]),
    Module("CLibPQ", .systemLibrary, at: "Service/CLibPQ"),
    Module("StrataPostgres", .store, at: "Service/Postgres", uses: ["CLibPQ", "Logging"]),

    Module("StrataPresentation", .presentation, at: "Presentation", tests: []),
    Module(
        "StrataTerminal", .terminal, at: "Terminal", uses: ["StrataPresentation", "ArgumentParser"],
        tests: ["StrataPresentation", "ArgumentParser"]),
    Module("StrataTesting", .testing, at: "Testing", uses: ["Logging", "NIOCore", "NIOPosix", "NIOSSL"]),
    Module(
        "StrataFeatureTesting", .featureTesting, at: "FeatureTesting",
        uses: [
            "StrataService", "StrataSQLite", "StrataPostgres", "StrataTerminal", "StrataTesting", "HummingbirdTesting",
            "HTTPTypes", "Logging", "NIOCore",
        ]),
    Module(
        "StrataServerProgram", .serverProgram, at: "Programs/Server",
        uses: [
            "StrataNetworking", "StrataAsyncHTTP", "StrataService", "StrataSQLite", "StrataPostgres",
            accounts.domain, accounts.service, "ArgumentParser", "ServiceLifecycle", "UnixSignals", "Configuration",
            "Logging", "Metrics",
        ],
        tests: [
            "StrataService", "StrataSQLite", "StrataPostgres", accounts.domain, accounts.service, "ArgumentParser",
            "Logging", "StrataFeatureTesting",
        ]),
    Module(
        "StrataClientProgram", .clientProgram, at: "Programs/Client",
        uses: [
            "StrataNetworking", "StrataAsyncHTTP", "StrataProxy", "StrataTokens", "StrataCaching", "StrataHTTPCache",
            "StrataOffline", "StrataTerminal", "ArgumentParser", "Logging",
        ] + accounts.client,
        tests: ["StrataNetworking", "StrataTokens", "StrataTerminal", "ArgumentParser", "Logging"] + accounts.client),
    // scaffold:end-only
]

/// Modules that another package brings, each with its layer. Strata's own are rows above.
let brought: [String: Layer] = [:]

let apps: [Module] = [
    Module(
        "shiftlog", .commandLine, at: "Apps/CLI",
        uses: [
            "StrataClientProgram", "StrataNetworking", "StrataTokens", "StrataCaching", "StrataOffline",
            "StrataTerminal",
        ] + features.flatMap(\.client)),
    Module(
        "shiftlog-server", .backend, at: "Apps/Backend",
        uses: ["StrataServerProgram", "StrataService"] + features.flatMap { [$0.domain, $0.service] }),
]

/// Tests of several modules; those of one are in its row.
let tests: [Module] =
    [
        // scaffold:only Template
        Module("ArchitectureTests", .tests, at: "Tests/Architecture"),
        Module("SimulationTests", .tests, at: "Tests/Simulation", uses: ["StrataOffline", "GRDB", "Logging"]),
        Module(
            "EntitiesTests", .appTests, at: "Tests/Entities",
            uses: exemplar.modules.map(\.name) + [
                "AccountsDomain", "GRDB", "StrataNetworking", "StrataCaching", "StrataOffline", "StrataService",
                "StrataPresentation", "StrataTerminal", "StrataFeatureTesting", "ArgumentParser", "Logging",
            ]),
        Module(
            "EndToEndTests", .appTests, at: "Tests/EndToEnd",
            uses: [
                "shiftlog", "shiftlog-server", "StrataClientProgram", "StrataNetworking", "StrataAsyncHTTP",
                "StrataTokens", "AccountsDomain", "AccountsAPI", "AccountsData", "GRDB",
            ]),
        Module(
            "ProblemCodesTests", .appTests, at: "Tests/ProblemCodes",
            uses: [
                "shiftlog-server", "StrataServerProgram", "AccountsDomain", "AccountsService", "StrataService",
                "StrataSQLite", "Hummingbird", "HummingbirdTesting", "HTTPTypes", "NIOCore", "Logging",
            ]),
        // scaffold:end-only
        Module(
            "BackendTests", .appTests, at: "Tests/Apps/Backend",
            uses: [
                "shiftlog", "shiftlog-server", "StrataServerProgram", "StrataService", "StrataSQLite", "StrataPostgres",
            ]),
    ] + ownFeatures.map(\.tests)

/// The packages of others, the oldest version of each, and the products that a row may name.
let libraries: [Library] = [
    Library("apple/swift-argument-parser", "1.8.2", ["ArgumentParser"]),
    Library("apple/swift-crypto", "4.5.2", ["Crypto", "CryptoExtras"]),
    Library("apple/swift-http-types", "1.8.0", ["HTTPTypes"]),
    Library("apple/swift-log", "1.16.2", ["Logging"]),
    Library("apple/swift-nio", "2.101.2", ["NIOCore", "NIOHTTP1", "NIOPosix"]),
    Library("groue/GRDB.swift", "7.10.0", ["GRDB", "GRDBSQLite"]),
    Library("hummingbird-project/hummingbird", "2.28.1", ["Hummingbird", "HummingbirdCore", "HummingbirdTesting"]),
    // scaffold:only Template
    Library("apple/swift-collections", "1.6.0", ["HeapModule"]),
    Library("apple/swift-configuration", "1.4.0", ["Configuration"], traits: ["JSON"]),
    Library("apple/swift-distributed-tracing", "1.7.3", ["InMemoryTracing", "Instrumentation", "Tracing"]),
    Library("apple/swift-metrics", "2.13.0", ["Metrics"]),
    Library("apple/swift-nio-ssl", "2.37.0", ["NIOSSL"]),
    Library("apple/swift-system", "1.8.1", ["SystemPackage"]),
    Library("hummingbird-project/swift-mustache", "2.1.1", ["Mustache"]),
    Library("swift-server/async-http-client", "1.37.0", ["AsyncHTTPClient"]),
    Library("swift-server/swift-service-lifecycle", "2.13.0", ["ServiceLifecycle", "UnixSignals"]),
    Library("swiftlang/swift-subprocess", "1.0.2", ["Subprocess"], traits: []),
    Library("vapor/jwt-kit", "5.7.1", ["JWTKit"]),
    // scaffold:end-only
]

let modules = (core + clients + ownFeatures.flatMap(\.modules)).filter { isPresent($0.name) }

// scaffold:only Template
/// What other packages may use: the libraries, and logins.
let shared = (core + accounts.modules).filter { ![.systemLibrary, .assets].contains($0.layer) && isPresent($0.name) }
    .map(\.name)

// scaffold:end-only
let package = Package(
    name: "Strata",
    platforms: [.macOS(.v15)],
    products: ["shiftlog", "shiftlog-server"].map { .executable(name: $0, targets: [$0]) }
        + shared.map { .library(name: $0, targets: [$0]) },
    dependencies: libraries.map(\.package),
    targets: checked(modules + apps + modules.flatMap(\.tests) + tests).map(\.target)
)

// scaffold:only Template
/// What another package that uses Strata fetches: the libraries of the trait that it names, and those that no trait lists. Without
/// a name it fetches all. One trait is always enough: SwiftPM passes several to the compiler in random order, and each order
/// compiles everything anew.
let asyncHTTP = ["async-http-client", "swift-nio", "swift-nio-ssl"]
let traits = [
    "AsyncHTTP": asyncHTTP, "Client": asyncHTTP + ["GRDB.swift"],
    "All": asyncHTTP + [
        "GRDB.swift", "hummingbird", "jwt-kit", "swift-argument-parser", "swift-configuration",
        "swift-distributed-tracing", "swift-http-types", "swift-mustache", "swift-service-lifecycle",
    ],
]
package.traits = Set(traits.keys.map { .trait(name: $0) } + [.default(enabledTraits: ["All"])])
for target in package.targets {
    target.dependencies = target.dependencies.map { dependency in
        // The front door has the cache of values where the trait brings its database.
        if target.name == "StrataClient", case .targetItem("StrataCaching", _) = dependency {
            return .target(name: "StrataCaching", condition: .when(traits: ["Client", "All"]))
        }
        guard case .productItem(let name, let library?, _, _) = dependency else { return dependency }
        let needing = Set(traits.filter { $0.value.contains(library) }.keys)
        return .product(name: name, package: library, condition: needing.isEmpty ? nil : .when(traits: needing))
    }
}

if isDependency {
    let used = Set(shared + ["CZlib", "CLibPQ", "CViewer"])
    package.products.removeAll { !used.contains($0.name) }
    package.targets.removeAll { !used.contains($0.name) }
}
// scaffold:end-only

// MARK: - Layers

/// Who lives where, and whom each layer may see.
enum Layer: String {
    case leaf, http, domain, systemLibrary, assets, networking, transport, proxy, data, httpCache, frontDoor, service,
        store,
        presentation, terminal, testing, featureTesting, client
    case featureDomain, featureAPI, featureData, featureService, featurePresentation
    case clientProgram, serverProgram, commandLine, backend, tests, appTests

    /// What each of its modules uses without saying so.
    var basis: [String] {
        let ground = ["StrataDomain", "StrataSystem", "StrataConcurrency", "StrataHTTP"]
        return switch self {
        case .leaf, .http, .domain, .systemLibrary, .assets: []
        case .featureDomain, .featureAPI: ["StrataDomain"]
        case .transport, .proxy, .httpCache, .testing, .featureTesting, .client: ground + ["StrataNetworking"]
        case .store, .featureService: ground + ["StrataService"]
        case .featurePresentation: ground + ["StrataTerminal", "ArgumentParser"]
        case .tests, .appTests: ground + ["StrataTesting"]
        default: ground
        }
    }

    /// The layers that it may use; `nil` for all.
    var mayUse: Set<Layer>? {
        switch self {
        // scaffold:only Template
        case .leaf, .http, .systemLibrary, .assets, .presentation: []
        case .domain: [.http]
        case .networking: [.systemLibrary]
        case .service: [.assets]
        case .transport, .proxy, .testing: [.networking]
        case .httpCache: [.networking, .data]
        case .frontDoor: [.networking, .transport, .data]
        case .store: [.service, .systemLibrary]
        case .featureTesting: [.networking, .service, .store, .terminal, .testing]
        // scaffold:end-only
        case .terminal: [.presentation]
        case .client: [.networking]
        case .data: [.networking, .systemLibrary]
        case .featureDomain, .featureAPI: [.featureDomain]
        case .featureData: [.data, .client, .featureDomain, .featureAPI]
        case .featureService: [.service, .client, .featureDomain, .featureAPI]
        case .featurePresentation: [.terminal, .featureDomain]
        case .clientProgram:
            [
                .networking, .transport, .proxy, .data, .httpCache, .terminal, .featureDomain, .featureData,
                .featurePresentation,
            ]
        case .commandLine:
            [
                .clientProgram, .networking, .transport, .proxy, .data, .httpCache, .terminal, .client, .featureDomain,
                .featureAPI, .featureData, .featurePresentation,
            ]
        case .serverProgram:
            [.networking, .transport, .service, .store, .client, .featureDomain, .featureAPI, .featureService]
        case .backend:
            [
                .networking, .transport, .service, .store, .client, .featureDomain, .featureAPI, .featureService,
                .serverProgram,
            ]
        case .tests, .appTests: nil
        }
    }
}

// scaffold:only Template
extension Layer {
    /// Whether its modules are a service's own; there Strata is another package, so that `package` names of Strata are hidden.
    var isOfAService: Bool { self == .client || self == .appTests || mayUse?.contains(.featureDomain) == true }
}

// scaffold:end-only

/// A row of the layer table.
struct Module {
    let name: String, layer: Layer, path: String, uses: [String]
    let tests: [Module]

    init(_ name: String, _ layer: Layer, at path: String, uses: [String] = [], tests: [String]? = nil) {
        (self.name, self.layer, self.uses) = (name, layer, uses.filter(isPresent))
        self.path = ["Apps/", "Tests/"].contains { path.hasPrefix($0) } ? path : "Modules/\(path)"
        let mirror = "Tests/\(path.replacing("/Core", with: "").replacing("Data/", with: ""))"
        let kind = layer.isOfAService ? Layer.appTests : .tests
        self.tests = tests.map { [Module("\(name)Tests", kind, at: mirror, uses: [name] + $0)] } ?? []
    }

    var target: Target {
        // scaffold:only Template
        if layer == .systemLibrary {
            return .systemLibrary(
                name: name, path: path, providers: [.apt([name == "CZlib" ? "zlib1g-dev" : "libpq-dev"])])
        }
        // What is not Strata's is compiled as another package, as it is in a service: it sees what is `public`.
        let isStrata = !layer.isOfAService
        // scaffold:end-only
        let target: Target =
            switch layer {
            case .commandLine, .backend: .executableTarget(name: name, packageAccess: isStrata)
            case .tests, .appTests: .testTarget(name: name, packageAccess: isStrata)
            default: .target(name: name, packageAccess: isStrata)
            }
        target.path = path
        let files = try? FileManager.default.contentsOfDirectory(atPath: "\(Context.packageDirectory)/\(path)")
        target.exclude = (files ?? []).filter { $0.hasSuffix(".md") }.sorted()
        // scaffold:only Template
        if layer == .assets {
            // Pages, and what the sources embed.
            target.exclude = (files ?? []).filter { !["include", "viewer.c"].contains($0) }.sorted()
            return target
        }
        // scaffold:end-only
        target.dependencies = Set(layer.basis + uses).sorted().map(Target.Dependency.named)
        let features = [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
        ]
        var settings: [SwiftSetting] = features.map { .enableUpcomingFeature($0) }
        if warningsAreErrors { settings.append(.treatAllWarnings(as: .error)) }
        if uses.contains("StrataPostgres") { settings.append(.define("POSTGRES")) }
        // scaffold:only Template
        if Context.environment["STRATA_SANITIZE"] == "thread" { settings.append(.define("THREAD_SANITIZER")) }
        // scaffold:end-only
        if !isStrata { settings.append(.unsafeFlags(["-package-name", "service"])) }
        target.swiftSettings = settings
        return target
    }
}

/// A row of the list of clients: an API that is not ours, which features share.
typealias Client = Module
extension Module {
    init(_ client: String) {
        self.init(client, .client, at: "Clients/\(client)", tests: ["StrataNetworking", "StrataAsyncHTTP"])
    }
}

/// A row of the list of features; it stands for its modules and a test target.
struct Feature {
    /// What its Data part keeps of the server's responses: nothing, the responses in the cache, or rows of its own.
    enum Policy { case remote, cached, offline }

    /// Modules that a feature has only for code of its own: endpoints and payloads, repositories.
    enum Part { case api, data }

    let name: String, domain: String, service: String
    /// The modules that the command line uses.
    let client: [String]
    let modules: [Module], tests: Module

    /// - Parameters:
    ///   - also: What else its Data part uses: libraries, clients of other APIs.
    ///   - calls: Clients of other APIs that its Service part uses.
    ///   - pages: What its Service part uses to write HTML.
    ///   - sees: Features whose Domain its Domain and Service use. Nothing else of another feature may be seen.
    ///   - referred: Features whose ids its Domain names.
    ///   - tested: Features whose Domain and Service its tests use.
    init(
        _ name: String, _ policy: Policy, own: Set<Part> = [], also: [String] = [], calls: [String] = [],
        pages: [String] = [], sees: [String] = [], refersTo referred: [String] = [], tested: [String] = []
    ) {
        let folder = "Features/\(name)"
        func row(_ part: String, _ layer: Layer, _ uses: [String]) -> Module {
            Module("\(name)\(part)", layer, at: "\(folder)/\(part)", uses: uses)
        }
        let domains = (sees + [name]).map { "\($0)Domain" }
        let endpoints = own.contains(.api) ? ["\(name)API"] : []
        // What works offline uses the sync engine alone, and says so where it calls endpoints, too.
        let kept = policy == .offline ? ["StrataOffline"] : endpoints + (policy == .cached ? ["StrataCaching"] : [])
        modules = [
            row("Domain", .featureDomain, (sees + referred).map { "\($0)Domain" }),
            row("Service", .featureService, domains + endpoints + calls + pages),
            row("Presentation", .featurePresentation, ["\(name)Domain"]),
            own.contains(.api) ? row("API", .featureAPI, ["\(name)Domain"]) : nil,
            own.contains(.data) ? row("Data", .featureData, ["\(name)Domain"] + kept + also) : nil,
        ].compactMap(\.self)
        (self.name, domain, service) = (name, "\(name)Domain", "\(name)Service")
        client = ["\(name)Domain", "\(name)Presentation"] + (own.contains(.data) ? ["\(name)Data"] : [])
        tests = Module(
            "\(name)Tests", .appTests, at: "Tests/\(folder)",
            uses: modules.map(\.name) + also + calls
                + (sees + tested).flatMap { ["\($0)Domain", "\($0)Service"] } + [
                    "StrataNetworking", "StrataCaching", "StrataOffline", "StrataTokens", "StrataService",
                    "StrataSQLite",
                    "StrataPresentation", "StrataTerminal", "StrataFeatureTesting", "Crypto", "CryptoExtras", "GRDB",
                    "Hummingbird", "HummingbirdTesting", "HTTPTypes", "Logging", "NIOCore", "ArgumentParser",
                ])
    }
}

/// A package of others.
struct Library: Sendable {
    let path: String, oldest: Version, products: [String], traits: Set<Package.Dependency.Trait>

    init(_ path: String, _ oldest: Version, _ products: [String], traits: Set<Package.Dependency.Trait> = [.defaults]) {
        (self.path, self.oldest, self.products, self.traits) = (path, oldest, products, traits)
    }

    var name: String { String(path.split(separator: "/")[1]) }
    var package: Package.Dependency { .package(url: "https://github.com/\(path)", from: oldest, traits: traits) }
}

/// Values one below the other, without commas: a list that may have any number of them, none and one included.
@resultBuilder struct Rows<Row> {
    let list: [Row]

    init(@Rows list: () -> [Row]) { self.list = list() }

    static func buildBlock(_ rows: Row...) -> [Row] { rows }
}

/// Whether a module is not left out.
func isPresent(_ name: String) -> Bool { hasPostgres || !["CLibPQ", "StrataPostgres"].contains(name) }

/// The rows, after every edge was looked up in the layer table. `STRATA_TESTS=BackendTests` takes these tests alone; several names have
/// commas between them. Without it, all.
func checked(_ rows: [Module]) -> [Module] {
    let layers = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.layer) }).merging(brought) { own, _ in own }
    let products = Set(libraries.flatMap(\.products))
    for row in rows {
        for used in row.uses where !products.contains(used) && !row.layer.basis.contains(used) {
            guard let layer = layers[used], row.layer.mayUse?.contains(layer) ?? true else {
                stop(
                    "Illegal edge: \(row.name) (\(row.layer)) may not use \(used) (\(layers[used]?.rawValue ?? "no such module"))."
                )
            }
        }
    }
    let chosen = Context.environment["STRATA_TESTS"]?.split(separator: ",").map(String.init)
    return rows.filter { ![.tests, .appTests].contains($0.layer) || chosen?.contains($0.name) ?? true }
}

/// Ends the evaluation of the manifest with the sentence alone; a failed precondition adds a crash report.
func stop(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("\(sentence)\n".utf8))
    exit(1)
}

extension Target.Dependency {
    /// A product of a library, a module of the package that brings it, or a row.
    static func named(_ name: String) -> Self {
        if let library = libraries.first(where: { $0.products.contains(name) }) {
            return .product(name: name, package: library.name)
        }
        return brought[name] == nil ? .target(name: name) : .product(name: name, package: "Strata")
    }
}
