// swift-tools-version: 6.2
import PackageDescription

// A package of its own with default settings and no trait: a view of a list, and its test. `Scripts/check view` runs it, and
// Docs/Guides/View.md shows its code.

let package = Package(
    name: "View",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "strata", path: "../..", traits: [])],
    targets: [
        .target(
            name: "board",
            dependencies: [
                .product(name: "StrataDomain", package: "strata"),
                .product(name: "StrataPresentation", package: "strata"),
            ]),
        .testTarget(name: "boardTests", dependencies: ["board"]),
    ])
