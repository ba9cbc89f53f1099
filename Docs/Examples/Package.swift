// swift-tools-version: 6.2
import PackageDescription

// One folder for each task; `Scripts/check examples` builds and runs them against a server on this machine. In a package of your own
// take the products of the target you copy, and the URL of Strata in place of the path.

func example(
    _ name: String, _ products: String..., and others: [Target.Dependency] = [], beside: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: products.map { .product(name: $0, package: "strata") } + others,
        exclude: ["README.md"] + beside)
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "strata", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        example("typed-client", "StrataClient"),
        example("foreign-json", "StrataClient"),
        example("sign-in", "StrataClient"),
        example("signing", "StrataClient", and: [.product(name: "Crypto", package: "swift-crypto")]),
        example("pages-and-events", "StrataClient"),
        example("transfers", "StrataClient"),
        example("resumable-upload", "StrataClient"),
        example("cached-list", "StrataClient"),
        example("own-interceptor", "StrataClient"),
        example("offline-any-api", "StrataClient", "StrataOffline", beside: ["run.py", "server.py"]),
        example(
            "offline-beside-tables", "StrataClient", "StrataOffline",
            and: [.product(name: "GRDB", package: "GRDB.swift")]),
        example("service", "StrataDomain", "StrataService", "StrataSQLite"),
        // The homes of `Scripts/chaos any-api`.
        .executableTarget(
            name: "any-api-home",
            dependencies: ["StrataClient", "StrataOffline"].map { .product(name: $0, package: "strata") },
            path: "Tests/any-api-home", exclude: ["README.md"]),
        // The rows of "A line each" in README.
        .target(
            name: "rows",
            dependencies: ["StrataClient", "StrataHTTPCache", "StrataTesting"].map {
                .product(name: $0, package: "strata")
            }, path: "Tests/rows"),
        // The client of `Scripts/foreign`.
        .executableTarget(
            name: "foreign", dependencies: [.product(name: "StrataClient", package: "strata")], path: "Tests/foreign",
            exclude: ["README.md"]),
        .testTarget(
            name: "replay",
            dependencies: ["StrataClient", "StrataTesting"].map { .product(name: $0, package: "strata") },
            exclude: ["README.md"], resources: [.copy("tide.har")]),
    ])

// The replicas of `Scripts/chaos jobs`, which need libpq.
if Context.environment["STRATA_CHAOS_JOBS"] == "1" {
    package.dependencies.append(
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"))
    package.targets.append(
        .executableTarget(
            name: "jobs-worker",
            dependencies: ["StrataDomain", "StrataService", "StrataPostgres", "StrataNetworking", "StrataAsyncHTTP"].map
            {
                .product(name: $0, package: "strata")
            } + [.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")],
            path: "Tests/jobs-worker", exclude: ["README.md"]))
}
