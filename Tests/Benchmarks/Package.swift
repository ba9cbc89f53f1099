// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who builds or tests Strata compiles it. `Scripts/bench` runs it in release mode.

/// Only `Scripts/bench arena` builds it, where libpq's header is installed; `STRATA_POSTGRES=1` says that it is.
let arena: [Target] =
    Context.environment["STRATA_POSTGRES"] != "1"
    ? []
    : [
        .executableTarget(
            name: "arena",
            dependencies: [
                .product(name: "StrataConcurrency", package: "Strata"),
                .product(name: "StrataDomain", package: "Strata"),
                .product(name: "StrataService", package: "Strata"),
                .product(name: "StrataPostgres", package: "Strata"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ])
    ]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Strata", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "caching",
            dependencies: [
                .product(name: "StrataDomain", package: "Strata"),
                .product(name: "StrataCaching", package: "Strata"),
                .product(name: "StrataHTTPCache", package: "Strata"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .executableTarget(
            name: "hummingbird",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "networking",
            dependencies: [
                .product(name: "StrataDomain", package: "Strata"),
                .product(name: "StrataNetworking", package: "Strata"),
                .product(name: "StrataAsyncHTTP", package: "Strata"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "offline",
            dependencies: [
                .product(name: "StrataDomain", package: "Strata"),
                .product(name: "StrataNetworking", package: "Strata"),
                .product(name: "StrataAsyncHTTP", package: "Strata"),
                .product(name: "StrataOffline", package: "Strata"),
                .product(name: "StrataService", package: "Strata"),
                .product(name: "StrataSQLite", package: "Strata"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
    ] + arena
)
