// swift-tools-version: 6.2
import PackageDescription

// The tool behind Scripts/new-feature and its siblings. A package of its own, so that neither it nor the services are
// rebuilt for the other's sake.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Scaffold",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "scaffold", targets: ["scaffold"])],
    dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")],
    targets: [
        .target(name: "ScaffoldKit", swiftSettings: strict),
        .executableTarget(
            name: "scaffold",
            dependencies: ["ScaffoldKit", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        .testTarget(name: "ScaffoldKitTests", dependencies: ["ScaffoldKit"], swiftSettings: strict),
    ]
)
