// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One row per module. Its layer decides what it may use; an illegal edge stops every build with a sentence.

/// One row per feature, in order; `Scripts/new-feature` writes a row here, `Scripts/remove-feature` takes it out.
let features = Rows<Feature> {
    // scaffold:begin features
    Feature("Attachments", .remote, own: [.api, .data], also: ["StrataOffline"], sees: ["Journal"])
    Feature("Journal", .offline, own: [.api, .data], also: ["GRDB"])
    Feature("Runbooks", .cached)
    // scaffold:end features
}.list

/// Logins, which every service has from Strata.
let accounts = Feature("Accounts", .remote, own: [.api, .data], also: ["StrataTokens"], pages: ["Mustache"])

// scaffold:only Template
/// What `Scripts/new-feature` copies: every field type and every policy, tested like any feature, and in no app's commands.
let exemplar = Feature("Specimens", .cached, refersTo: ["Accounts"])
// scaffold:end-only

/// The features whose sources are in this package.
let ownFeatures = features + [accounts, exemplar]

/// One row per client of an API that is not ours, in order; `Scripts/new-client` writes a row here, `Scripts/remove-client` takes it out.
let clients = Rows<Client> {
    // scaffold:only Template
    // What `Scripts/new-client` copies, and the guide shows; in no app.
    Client("Weather")
    // scaffold:end-only
    // scaffold:begin clients
    // scaffold:end clients
}.list

/// PostgreSQL is left out where libpq's header is not installed. `STRATA_POSTGRES=1` or `0` decides it instead.
let hasPostgres =
    Context.environment["STRATA_POSTGRES"].map { $0 == "1" }
    ?? ["", "/postgresql"].contains { FileManager.default.fileExists(atPath: "/usr/include\($0)/libpq-fe.h") }

/// `uses` names modules and products of libraries. What a layer always has (`Layer.basis`) is not repeated.
let core: [Module] = [
    // scaffold:only Template
    Module("StrataSystem", .leaf, at: "System", uses: ["SystemPackage", "Subprocess"]),
    Module("StrataConcurrency", .leaf, at: "Concurrency", uses: ["HeapModule"]),
    Module("StrataHTTP", .http, at: "HTTP"),
    Module("StrataDomain", .domain, at: "Domain", uses: ["StrataHTTP"]),

    Module("CZlib", .systemLibrary, at: "Networking/CZlib"),
    Module("StrataNetworking", .networking, at: "Networking/Core", uses: ["CZlib", "Crypto", "Logging", "Metrics"]),
    Module(
        "StrataAsyncHTTP", .transport, at: "Networking/AsyncHTTP",
        uses: ["StrataNetworking", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL"]),
    Module(
        "StrataProxy", .proxy, at: "Networking/Proxy",
        uses: ["StrataNetworking", "HummingbirdCore", "HTTPTypes", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix"]),
    Module("StrataURLSession", .transport, at: "Networking/URLSession", uses: ["StrataNetworking"]),

    Module("StrataTokens", .data, at: "Data/Tokens", uses: ["Logging"]),
    Module(
        "StrataCaching", .data, at: "Data/Caching",
        uses: ["StrataNetworking", "CZlib", "GRDB", "GRDBSQLite", "Crypto", "Logging"]),
    Module(
        "StrataHTTPCache", .httpCache, at: "Data/HTTPCache",
        uses: ["StrataNetworking", "StrataCaching", "Crypto", "Logging"]),
    Module("StrataOffline", .data, at: "Data/Offline", uses: ["GRDB", "GRDBSQLite", "Crypto", "Logging"]),

    Module("CViewer", .assets, at: "Service/Viewer"),
    Module(
        "StrataService", .service, at: "Service/Core",
        uses: [
            "CViewer", "Hummingbird", "HummingbirdCore", "JWTKit", "Crypto", "CryptoExtras", "ServiceLifecycle",
            "Logging",
            "Metrics",
            "NIOCore", "NIOPosix", "NIOHTTP1", "HTTPTypes",
        ]),
    Module("StrataSQLite", .store, at: "Service/SQLite", uses: ["StrataService", "GRDB", "GRDBSQLite", "Logging"]),
    Module("CLibPQ", .systemLibrary, at: "Service/CLibPQ"),
    Module("StrataPostgres", .store, at: "Service/Postgres", uses: ["StrataService", "CLibPQ", "Logging"]),

    Module("StrataPresentation", .presentation, at: "Presentation"),
    Module("StrataTerminal", .terminal, at: "Terminal", uses: ["StrataPresentation", "ArgumentParser"]),
    Module(
        "StrataTesting", .testing, at: "Testing",
        uses: ["StrataNetworking", "Logging", "NIOCore", "NIOPosix", "NIOSSL"]),
    Module(
        "StrataFeatureTesting", .featureTesting, at: "FeatureTesting",
        uses: [
            "StrataNetworking", "StrataService", "StrataSQLite", "StrataTerminal", "StrataTesting",
            "HummingbirdTesting", "HTTPTypes", "Logging", "NIOCore",
        ] + (hasPostgres ? ["StrataPostgres"] : [])),
    // scaffold:end-only
]
// scaffold:only Template
.filter { hasPostgres || !["CLibPQ", "StrataPostgres"].contains($0.name) }
// scaffold:end-only

/// Modules that another package brings, each with its layer. Strata's own are rows above.
let brought: [String: Layer] = [:]

let apps: [Module] = [
    Module(
        "shiftlog", .commandLine, at: "Apps/CLI",
        uses: [
            "StrataNetworking", "StrataAsyncHTTP", "StrataProxy", "StrataTokens", "StrataCaching",
            "StrataHTTPCache", "StrataOffline", "StrataTerminal", "ArgumentParser", "Logging",
        ]
            + ([accounts] + features).flatMap(\.client)),
    Module(
        "shiftlog-server", .backend, at: "Apps/Backend",
        uses: [
            "StrataService", "StrataSQLite", accounts.domain, "ArgumentParser", "ServiceLifecycle", "UnixSignals",
            "Configuration", "Logging", "Metrics",
        ] + (hasPostgres ? ["StrataPostgres"] : []) + ([accounts] + features).map(\.service)),
]

let tests: [Test] =
    [
        // scaffold:only Template
        Test("StrataSystem", at: "System"),
        Test("StrataConcurrency", at: "Concurrency"),
        Test("StrataHTTP", at: "HTTP"),
        Test("StrataDomain", at: "Domain"),
        Test(
            "StrataNetworking", at: "Networking",
            uses: [
                "CZlib", "StrataAsyncHTTP", "StrataProxy", "StrataURLSession", "Crypto", "HTTPTypes", "Logging",
                "Metrics", "NIOCore",
            ]),
        Test("StrataTokens", at: "Tokens", uses: ["StrataNetworking", "HTTPTypes", "Logging"]),
        Test(
            "StrataCaching", at: "Caching",
            uses: ["StrataNetworking", "StrataHTTPCache", "GRDB", "HTTPTypes", "Logging"]),
        Test("StrataOffline", at: "Offline", uses: ["GRDB", "Logging"]),
        Test("Simulation", at: "Simulation", uses: ["StrataOffline", "GRDB", "Logging"]),
        Test(
            "StrataService", at: "Service",
            uses: [
                "StrataSQLite", "StrataFeatureTesting", "Hummingbird", "HummingbirdTesting", "JWTKit", "Crypto", "GRDB",
                "ServiceLifecycle",
                "Metrics", "Logging", "HTTPTypes", "NIOCore", "NIOPosix",
            ] + (hasPostgres ? ["StrataPostgres"] : [])),
        Test("StrataPresentation", at: "Presentation"),
        Test("StrataTerminal", at: "Terminal", uses: ["StrataPresentation", "ArgumentParser"]),
        Test(
            "Entities", at: "Entities",
            uses: exemplar.modules.map(\.name) + [
                "AccountsDomain", "GRDB", "StrataNetworking", "StrataCaching", "StrataOffline", "StrataService",
                "StrataPresentation", "StrataTerminal", "StrataFeatureTesting", "ArgumentParser", "Logging",
            ]),
        Test("Architecture", at: "Architecture"),
        Test(
            "EndToEnd", at: "EndToEnd",
            uses: [
                "shiftlog", "shiftlog-server", "StrataNetworking", "StrataAsyncHTTP", "StrataTokens", "AccountsDomain",
                "AccountsAPI", "AccountsData", "GRDB",
            ]),
        Test(
            "ProblemCodes", at: "ProblemCodes",
            uses: [
                "shiftlog-server", "AccountsDomain", "AccountsService", "StrataService", "StrataSQLite", "Hummingbird",
                "HummingbirdTesting", "HTTPTypes", "NIOCore", "Logging",
            ]),
        // scaffold:end-only
        Test(
            "Backend", at: "Apps/Backend",
            uses: ["shiftlog", "shiftlog-server", "StrataService", "StrataSQLite", "ArgumentParser", "Logging"]
                + (hasPostgres ? ["StrataPostgres"] : [])),
    ] + ownFeatures.map(\.tests) + clients.map(\.tests)

/// The packages of others, the oldest version of each, and the products that a row may name.
let libraries: [Library] = [
    Library("apple/swift-argument-parser", "1.8.2", ["ArgumentParser"]),
    Library("apple/swift-configuration", "1.4.0", ["Configuration"], traits: ["JSON"]),
    Library("apple/swift-crypto", "4.5.2", ["Crypto", "CryptoExtras"]),
    Library("apple/swift-http-types", "1.8.0", ["HTTPTypes"]),
    Library("apple/swift-log", "1.16.2", ["Logging"]),
    Library("apple/swift-metrics", "2.13.0", ["Metrics"]),
    Library("apple/swift-nio", "2.101.2", ["NIOCore", "NIOHTTP1", "NIOPosix"]),
    Library("groue/GRDB.swift", "7.10.0", ["GRDB", "GRDBSQLite"]),
    Library("hummingbird-project/hummingbird", "2.28.1", ["Hummingbird", "HummingbirdCore", "HummingbirdTesting"]),
    Library("swift-server/swift-service-lifecycle", "2.13.0", ["ServiceLifecycle", "UnixSignals"]),
    // scaffold:only Template
    Library("apple/swift-collections", "1.6.0", ["HeapModule"]),
    Library("apple/swift-nio-ssl", "2.37.0", ["NIOSSL"]),
    Library("apple/swift-system", "1.8.1", ["SystemPackage"]),
    Library("hummingbird-project/swift-mustache", "2.1.1", ["Mustache"]),
    Library("swift-server/async-http-client", "1.37.0", ["AsyncHTTPClient"]),
    Library("swiftlang/swift-subprocess", "1.0.2", ["Subprocess"], traits: []),
    Library("vapor/jwt-kit", "5.7.1", ["JWTKit"]),
    // scaffold:end-only
]

let modules = core + clients.map(\.module) + ownFeatures.flatMap(\.modules)

// scaffold:only Template
/// What other packages may use: the libraries, and logins.
let shared = (core.filter { ![.systemLibrary, .assets].contains($0.layer) } + accounts.modules).map(\.name)

// scaffold:end-only
let package = Package(
    name: "Strata",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "shiftlog", targets: ["shiftlog"]),
        .executable(name: "shiftlog-server", targets: ["shiftlog-server"]),
    ] + shared.map { .library(name: $0, targets: [$0]) },
    dependencies: libraries.map(\.package),
    targets: checked(modules + apps).map(\.target) + tests.filter(\.isSelected).map(\.target)
)

// scaffold:only Template
/// What another package that uses Strata fetches: the libraries of the trait that it names, and those that no trait lists. Without
/// a name it fetches all. One trait is always enough: SwiftPM passes several to the compiler in random order, and each order
/// compiles everything anew.
let traits: [(name: String, libraries: [String])] = [
    ("AsyncHTTP", ["async-http-client", "swift-nio", "swift-nio-ssl"]),
    ("Client", ["async-http-client", "swift-nio", "swift-nio-ssl", "GRDB.swift"]),
    (
        "All",
        [
            "async-http-client", "swift-nio", "swift-nio-ssl", "GRDB.swift", "hummingbird", "jwt-kit",
            "swift-argument-parser", "swift-configuration", "swift-http-types", "swift-mustache",
            "swift-service-lifecycle",
        ]
    ),
]
package.traits = Set(traits.map { .trait(name: $0.name) } + [.default(enabledTraits: ["All"])])
for target in package.targets {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let library?, _, _) = dependency else { return dependency }
        let needing = Set(traits.filter { $0.libraries.contains(library) }.map(\.name))
        return .product(name: name, package: library, condition: needing.isEmpty ? nil : .when(traits: needing))
    }
}

// Another package that uses this one has features and apps of its own, and a build may have a target's name only once. So
// nothing else is here then: fetched, in the package manager's folder `checkouts`, or as the folder `Strata` of a service.
let place = URL(filePath: Context.packageDirectory).deletingLastPathComponent()
let marks = [
    place.deletingLastPathComponent().appending(path: "repositories"), place.appending(path: ".template.json"),
]
if FileManager.default.fileExists(atPath: marks[place.lastPathComponent == "checkouts" ? 0 : 1].path) {
    let used = Set(shared + ["CZlib", "CLibPQ", "CViewer"])
    package.products.removeAll { !used.contains($0.name) }
    package.targets.removeAll { !used.contains($0.name) }
}
// scaffold:end-only

// MARK: - Layers

/// Who lives where, and whom each layer may see.
enum Layer: String {
    case leaf, http, domain, systemLibrary, assets, networking, transport, proxy, data, httpCache, service, store,
        presentation, terminal, testing, featureTesting, client
    case featureDomain, featureAPI, featureData, featureService, featurePresentation
    case commandLine, backend

    /// What each of its modules uses without saying so.
    var basis: [String] {
        switch self {
        case .leaf, .http, .domain, .systemLibrary, .assets: []
        case .featureDomain, .featureAPI: ["StrataDomain"]
        default: ["StrataDomain", "StrataSystem", "StrataConcurrency", "StrataHTTP"]
        }
    }

    var mayUse: Set<Layer> {
        switch self {
        case .leaf, .http, .systemLibrary, .assets: []
        case .domain: [.http]
        case .networking: [.systemLibrary]
        case .service: [.assets]
        case .presentation: []
        case .terminal: [.presentation]
        case .transport, .proxy, .testing, .client: [.networking]
        case .data: [.networking, .systemLibrary]
        case .httpCache: [.networking, .data]
        case .store: [.service, .systemLibrary]
        case .featureTesting: [.networking, .service, .store, .terminal, .testing]
        case .featureDomain, .featureAPI: [.featureDomain]
        case .featureData: [.data, .client, .featureDomain, .featureAPI]
        case .featureService: [.service, .client, .featureDomain, .featureAPI]
        case .featurePresentation: [.terminal, .featureDomain]
        case .commandLine:
            [
                .networking, .transport, .proxy, .data, .httpCache, .terminal, .client, .featureDomain, .featureAPI,
                .featureData,
                .featurePresentation,
            ]
        case .backend:
            [.networking, .transport, .service, .store, .client, .featureDomain, .featureAPI, .featureService]
        }
    }

    /// Whether its modules are a service's own; there Strata is another package, so that `package` names of Strata are hidden.
    var isOfAService: Bool { self == .client || mayUse.contains(.featureDomain) }
}

/// A row of the layer table.
struct Module {
    let name: String, layer: Layer, path: String, uses: [String]

    init(_ name: String, _ layer: Layer, at path: String, uses: [String] = []) {
        (self.name, self.layer, self.uses) = (name, layer, uses)
        self.path = path.hasPrefix("Apps/") ? path : "Modules/\(path)"
    }

    /// The parts of a feature may have one page together, in its folder.
    private var hasReadme: Bool {
        FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(path)/README.md")
    }

    /// Files that the sources embed.
    private var compressed: [String] {
        let files = try? FileManager.default.contentsOfDirectory(atPath: "\(Context.packageDirectory)/\(path)")
        return (files ?? []).filter { $0.hasSuffix(".gz") }.sorted()
    }

    var target: Target {
        let dependencies = Set(layer.basis + uses).sorted().map(Target.Dependency.named)
        let isStrata = !layer.isOfAService
        let settings = [SwiftSetting].strict(isStrata: isStrata, uses: uses)
        let exclude = hasReadme ? ["README.md"] : []
        return switch layer {
        case .systemLibrary:
            .systemLibrary(name: name, path: path, providers: [.apt([name == "CZlib" ? "zlib1g-dev" : "libpq-dev"])])
        case .assets: .target(name: name, path: path, exclude: exclude + ["LICENSE", "DIGESTS"] + compressed)
        case .commandLine, .backend:
            .executableTarget(
                name: name, dependencies: dependencies, path: path, exclude: exclude, packageAccess: isStrata,
                swiftSettings: settings)
        default:
            .target(
                name: name, dependencies: dependencies, path: path, exclude: exclude, packageAccess: isStrata,
                swiftSettings: settings)
        }
    }
}

/// A row of the list of features; it stands for its modules and a test target.
struct Feature {
    /// What its Data part keeps of the server's answers: nothing, responses in the cache, or rows of its own.
    enum Policy { case remote, cached, offline }

    /// Modules that a feature has only for code of its own: endpoints and payloads, repositories.
    enum Part { case api, data }

    let name: String, policy: Policy, own: Set<Part>
    let also: [String], calls: [String], pages: [String], sees: [String], referred: [String]

    /// - Parameters:
    ///   - also: What else its Data part uses: libraries, clients of other APIs.
    ///   - calls: Clients of other APIs that its Service part uses.
    ///   - pages: What its Service part uses to write HTML.
    ///   - sees: Features whose Domain all its parts use. Nothing else of another feature may be seen.
    ///   - referred: Features whose ids its Domain names.
    init(
        _ name: String, _ policy: Policy, own: Set<Part> = [], also: [String] = [], calls: [String] = [],
        pages: [String] = [], sees: [String] = [], refersTo referred: [String] = []
    ) {
        (self.name, self.policy, self.own) = (name, policy, own)
        (self.also, self.calls, self.pages, self.sees, self.referred) = (also, calls, pages, sees, referred)
    }

    var domain: String { "\(name)Domain" }
    var api: String { "\(name)API" }
    var data: String { "\(name)Data" }
    var service: String { "\(name)Service" }
    var presentation: String { "\(name)Presentation" }

    /// The modules that the command line uses.
    var client: [String] { [domain, presentation] + (own.contains(.data) ? [data] : []) }

    var modules: [Module] {
        let at = "Features/\(name)"
        let domains = [domain] + sees.map { "\($0)Domain" }
        // What works offline uses the sync engine alone, and says so where it calls endpoints, too.
        let kept = policy == .offline ? ["StrataOffline"] : policy == .cached ? [api, "StrataCaching"] : [api]
        let endpoints = own.contains(.api) ? [api] : []
        var modules = [
            Module(domain, .featureDomain, at: "\(at)/Domain", uses: (sees + referred).map { "\($0)Domain" }),
            Module(
                service, .featureService, at: "\(at)/Service",
                uses: domains + ["StrataService"] + endpoints + calls + pages),
            Module(
                presentation, .featurePresentation, at: "\(at)/Presentation",
                uses: domains + ["StrataTerminal", "ArgumentParser"]),
        ]
        if own.contains(.api) { modules.append(Module(api, .featureAPI, at: "\(at)/API", uses: domains)) }
        if own.contains(.data) {
            modules.append(Module(data, .featureData, at: "\(at)/Data", uses: domains + kept + also))
        }
        return modules
    }

    var tests: Test {
        Test(
            name, at: "Features/\(name)",
            uses: modules.map(\.name) + also + calls + sees.flatMap { ["\($0)Domain", "\($0)API", "\($0)Service"] } + [
                "StrataNetworking", "StrataCaching", "StrataOffline", "StrataTokens", "StrataService", "StrataSQLite",
                "StrataPresentation", "StrataTerminal", "StrataFeatureTesting", "Crypto", "GRDB", "Hummingbird",
                "HummingbirdTesting", "HTTPTypes", "Logging", "NIOCore", "ArgumentParser",
            ])
    }
}

/// A row of the list of clients; it stands for the module of an API that is not ours, which features share, and a test target.
struct Client {
    let name: String

    init(_ name: String) { self.name = name }

    var module: Module { Module(name, .client, at: "Clients/\(name)", uses: ["StrataNetworking"]) }
    var tests: Test { Test(name, at: "Clients/\(name)", uses: ["StrataNetworking", "StrataAsyncHTTP"]) }
}

/// Tests of one module, where one has the name, in a tree that mirrors `Modules`.
struct Test {
    let name: String, path: String, uses: [String]

    init(_ name: String, at path: String, uses: [String] = []) {
        (self.name, self.path, self.uses) = (name, path, uses)
    }

    /// `STRATA_TESTS=BackendTests` builds and runs this test target only; several names have commas between them. Without it, all.
    var isSelected: Bool {
        Context.environment["STRATA_TESTS"]?.split(separator: ",").contains("\(name)Tests") ?? true
    }

    var target: Target {
        let tested = modules.filter { $0.name == name }.map(\.name)
        let dependencies = Set(tested + Layer.testing.basis + ["StrataTesting"] + uses).sorted()
        let isStrata =
            !["Features/", "Clients/", "Apps/"].contains { path.hasPrefix($0) }
            // scaffold:only Template
            && !["EndToEnd", "Entities", "ProblemCodes"].contains(name)
        // scaffold:end-only
        return .testTarget(
            name: "\(name)Tests", dependencies: dependencies.map(Target.Dependency.named),
            path: "Tests/\(path)",
            exclude: name == "EndToEnd" ? ["README.md"] : [], packageAccess: isStrata,
            swiftSettings: .strict(isStrata: isStrata, uses: uses))
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

/// The rows, after every edge was looked up in the layer table.
func checked(_ rows: [Module]) -> [Module] {
    let layers = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.layer) }).merging(brought) { own, _ in own }
    let products = Set(libraries.flatMap(\.products))
    for row in rows {
        for used in row.uses where !products.contains(used) && !row.layer.basis.contains(used) {
            let layer = layers[used]
            precondition(
                layer.map(row.layer.mayUse.contains) ?? false,
                "Illegal edge: \(row.name) (\(row.layer)) may not use \(used) (\(layer?.rawValue ?? "no such module"))."
            )
        }
    }
    return rows
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

extension [SwiftSetting] {
    /// Swift 6 mode comes with the tools version; these make imports private, visible and every warning an error.
    ///
    /// - Parameter isStrata: What is not Strata's is compiled as another package, as it is in a service: it sees what is `public`.
    static func strict(isStrata: Bool, uses: [String]) -> [SwiftSetting] {
        [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .treatAllWarnings(as: .error),
        ] + (Context.environment["STRATA_SANITIZE"] == "thread" ? [.define("THREAD_SANITIZER")] : [])
            + (uses.contains("StrataPostgres") ? [.define("POSTGRES")] : [])
            + (isStrata ? [] : [.unsafeFlags(["-package-name", "service"])])
    }
}
