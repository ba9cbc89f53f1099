/// Rules on the `import` lines, those of inactive `#if` branches too.
extension Rule {
    static let importsFitTheLayer = Rule(
        name: "a file imports only what its layer may see", minimum: 300
    ) { project, inspection in
        for file in project.files {
            guard let layer = Layer(path: file.path) else {
                inspection.report(file.path, 1, "No layer is known for this folder; the rule table names all of them.")
                continue
            }
            for found in file.imports {
                inspection.examine()
                guard let allowed = layer.mayImport else { continue }
                if let target = project.manifest[found.module] {
                    let seen = Layer(path: target.path)
                    if seen.map(layer.mayUse.contains) != true {
                        let place = seen?.rawValue ?? "unknown"
                        inspection.report(
                            file.path, found.line,
                            "The layer '\(layer)' may not import \(found.module) of the layer '\(place)'.")
                    }
                } else if !allowed.contains(found.module) {
                    let list = allowed.sorted().joined(separator: ", ")
                    inspection.report(
                        file.path, found.line,
                        "The layer '\(layer)' may not import \(found.module); of others it may import \(list).")
                }
            }
        }
    }

    /// Modules that come with the toolchain or the system, and need no declaration.
    private static let system: Set = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl", "Darwin", "Dispatch",
        "Synchronization", "Observation", "RegexBuilder", "Testing",
    ]

    static let importsAreDeclared = Rule(
        name: "every imported module is a declared dependency", minimum: 300
    ) { project, inspection in
        for file in project.files {
            guard let target = project.target(of: file) else { continue }  // told by `filesBelongToTargets`
            let uses = Set(target.uses.compactMap { project.manifest[$0]?.moduleName })
            for found in file.imports where !system.contains(found.module) {
                inspection.examine()
                if !uses.contains(found.module), !target.products.contains(found.module) {
                    inspection.report(
                        file.path, found.line,
                        "\(target.name) imports \(found.module), which its row in Package.swift does not declare.")
                }
            }
        }
    }

    /// The transport on Foundation's URLSession and its double. Every program that links FoundationNetworking is larger.
    private static let foundationNetworkingFolders = ["Modules/Networking/URLSession/", "Modules/Testing/URLSession/"]

    static let foundationNetworkingStaysInItsTransport = Rule(
        name: "FoundationNetworking is for the URLSession transport and its double", minimum: 200
    ) { project, inspection in
        for file in project.shipped {
            for found in file.imports {
                inspection.examine()
                if found.module == "FoundationNetworking",
                    !foundationNetworkingFolders.contains(where: file.path.hasPrefix)
                {
                    inspection.report(
                        file.path, found.line,
                        "FoundationNetworking may be imported in "
                            + "\(foundationNetworkingFolders.joined(separator: " and ")) only.")
                }
            }
        }
    }

    /// The only files that may pass on another module: one chooses the platform's C library, one passes on the types that
    /// Domain's public API consists of.
    private static let reexportingFiles: Set = ["Modules/System/PlatformLibrary.swift", "Modules/Domain/Exports.swift"]

    static let nothingIsReexported = Rule(
        name: "no module passes another one on with @_exported", minimum: 300
    ) { project, inspection in
        for file in project.files {
            for found in file.imports {
                inspection.examine()
                if found.attributes.contains("_exported"), !reexportingFiles.contains(file.path) {
                    inspection.report(
                        file.path, found.line,
                        "@_exported import \(found.module) hides a dependency; import it where it is used.")
                }
            }
        }
    }

    static let testableStaysInTests = Rule(
        name: "@testable is for tests", minimum: 200
    ) { project, inspection in
        for file in project.shipped {
            for found in file.imports {
                inspection.examine()
                if found.attributes.contains("testable") {
                    inspection.report(
                        file.path, found.line,
                        "@testable import \(found.module) opens a module's inside; only Tests may do that.")
                }
            }
        }
    }
}
