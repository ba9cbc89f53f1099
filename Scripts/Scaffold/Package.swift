// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The tool behind Scripts/new-feature and its siblings. A package of its own, so that neither it nor the services are
// rebuilt for the other's sake; without dependencies, so that it is built in seconds.

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
    targets: [
        .target(name: "ScaffoldKit", swiftSettings: strict),
        .executableTarget(name: "scaffold", dependencies: ["ScaffoldKit"], swiftSettings: strict),
    ]
)

// A copy of Strata in a service has no tests of the tool.
if FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/Tests") {
    package.targets.append(
        .testTarget(name: "ScaffoldKitTests", dependencies: ["ScaffoldKit"], swiftSettings: strict))
}
