// swift-tools-version: 6.2
import PackageDescription

// A package of its own with default settings, as users of Strata have it. `Scripts/check door` builds and runs it.

let package = Package(
    name: "Door",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "strata", path: "../..", traits: ["Client"])],
    targets: [
        // The program of README.md.
        .executableTarget(
            name: "stars",
            dependencies: [
                .product(name: "StrataDomain", package: "strata"),
                .product(name: "StrataNetworking", package: "strata"),
                .product(name: "StrataAsyncHTTP", package: "strata"),
            ]),
        // An implementation of each public protocol that a client may have to implement.
        .executableTarget(
            name: "door",
            dependencies: [
                .product(name: "StrataDomain", package: "strata"),
                .product(name: "StrataNetworking", package: "strata"),
                .product(name: "StrataTokens", package: "strata"),
                .product(name: "StrataCaching", package: "strata"),
                .product(name: "StrataHTTPCache", package: "strata"),
            ]),
    ])
