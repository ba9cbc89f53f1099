// swift-tools-version: 6.2
import PackageDescription

// A package of its own with default settings, as users of Strata have it. `Scripts/check door` builds and runs it.

let package = Package(
    name: "Door",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "strata", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        // The first program of README.md.
        .executableTarget(
            name: "stars",
            dependencies: [.product(name: "StrataClient", package: "strata")]),
        // The program that README.md shows beside one with other libraries.
        .executableTarget(
            name: "notes",
            dependencies: [
                .product(name: "StrataClient", package: "strata"),
                .product(name: "StrataOffline", package: "strata"),
            ]),
        // An implementation of each public protocol, with the signatures copied.
        .executableTarget(
            name: "door",
            dependencies: [
                .product(name: "StrataDomain", package: "strata"),
                .product(name: "StrataNetworking", package: "strata"),
                .product(name: "StrataTokens", package: "strata"),
                .product(name: "StrataCaching", package: "strata"),
                .product(name: "StrataHTTPCache", package: "strata"),
                .product(name: "StrataOffline", package: "strata"),
                .product(name: "StrataService", package: "strata"),
                .product(name: "StrataTerminal", package: "strata"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
    ])
