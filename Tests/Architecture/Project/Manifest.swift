import Foundation

/// The content of `Package.swift` that the rules need, as the package manager reads it.
struct Manifest: Sendable {
    struct Target: Sendable {
        var name: String
        /// Relative to the root of the repository.
        var path: String
        var isTest: Bool
        /// Targets of this package.
        var uses: [String]
        /// Products of other packages; each has the name of its module.
        var products: [String]
        /// Whether it sees the `package` symbols of this package.
        var hasPackageAccess = true
    }

    var targets: [Target]
    /// The lines of `Package.swift`.
    var lines: [String]

    subscript(name: String) -> Target? { targets.first { $0.name == name || $0.moduleName == name } }

    /// The direct and indirect dependencies of `target`, itself included, and their products.
    func closure(of target: String) -> (targets: Set<String>, products: Set<String>) {
        var targets: Set<String> = []
        var products: Set<String> = []
        var waiting = [target]
        while let name = waiting.popLast() {
            guard targets.insert(name).inserted, let target = self[name] else { continue }
            products.formUnion(target.products)
            waiting += target.uses
        }
        return (targets, products)
    }

    /// The line of `Package.swift` that declares `target`: its own row, or the row of its feature.
    func line(of target: String) -> Int {
        let row = lines.firstIndex { $0.contains("\"\(target)\"") }
        let feature = lines.firstIndex { line in
            guard let name = line.split(separator: "Feature(\"").dropFirst().first?.split(separator: "\"").first else {
                return false
            }
            return target.hasPrefix(name)
        }
        return (row ?? feature ?? 0) + 1
    }
}

extension Manifest.Target {
    /// The name in an import; a `-` is `_` there.
    var moduleName: String { name.replacing("-", with: "_") }
}

extension Manifest {
    /// - Parameters:
    ///   - dump: The output of `swift package dump-package`.
    ///   - text: The text of `Package.swift`.
    init(dump: Data, text: String) throws {
        targets = try JSONDecoder().decode(Dump.self, from: dump).targets.map { target in
            Target(
                name: target.name, path: target.path ?? "Sources/\(target.name)", isTest: target.type == "test",
                uses: target.dependencies.compactMap { $0.target?.name ?? $0.byName?.name },
                products: target.dependencies.compactMap { $0.product?.name },
                hasPackageAccess: target.packageAccess ?? true)
        }
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private struct Dump: Decodable {
        var targets: [DumpedTarget]
    }

    private struct DumpedTarget: Decodable {
        var name: String
        var path: String?
        var type: String
        var packageAccess: Bool?
        var dependencies: [Dependency]
    }

    private struct Dependency: Decodable {
        var target: Named?
        var byName: Named?
        var product: Named?
    }

    /// An array of mixed values, the name first.
    private struct Named: Decodable {
        var name: String

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            name = try container.decode(String.self)
        }
    }
}
