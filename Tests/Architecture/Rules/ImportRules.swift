/// Rules on the `import` lines, including those in inactive `#if` branches.
extension Rule {
    static let importsFitTheLayer = Rule(
        name: "a file imports only modules that its layer may use", minimum: 300
    ) { project, inspection in
        for file in project.files {
            guard let layer = Layer(path: file.path) else {
                inspection.report(file.path, 1, "This folder belongs to no layer; add it to the rule table.")
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
                        "The layer '\(layer)' may not import \(found.module); of other packages it may import \(list).")
                }
            }
        }
    }

    /// Modules of the toolchain and the system, which need no declaration.
    private static let system: Set = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl", "Darwin", "Dispatch",
        "Synchronization", "Observation", "RegexBuilder", "Testing",
    ]

    static let importsAreDeclared = Rule(
        name: "every imported module is a declared dependency", minimum: 300
    ) { project, inspection in
        for file in project.files {
            guard let target = project.target(of: file) else { continue }  // reported by `filesBelongToTargets`
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

    /// The URLSession transport and its double. FoundationNetworking makes every program that links it larger.
    private static let foundationNetworkingFolders = ["Modules/Networking/URLSession/", "Modules/Testing/URLSession/"]

    static let foundationNetworkingStaysInItsTransport = Rule(
        name: "only the URLSession transport and its double import FoundationNetworking", minimum: 200
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

    /// The only files that may re-export a module: one selects the platform's C library, one re-exports the types of Domain's
    /// public API, one is the front door of the client.
    private static let reexportingFiles: Set = [
        "Modules/System/PlatformLibrary.swift", "Modules/Domain/Exports.swift",
        "Modules/Networking/Client/StrataClient.swift",
    ]

    static let nothingIsReexported = Rule(
        name: "no module re-exports another one with @_exported", minimum: 300
    ) { project, inspection in
        for file in project.files {
            for found in file.imports {
                inspection.examine()
                if found.attributes.contains("_exported"), !reexportingFiles.contains(file.path) {
                    inspection.report(
                        file.path, found.line,
                        "@_exported import \(found.module) hides a dependency; import the module in the files that use it."
                    )
                }
            }
        }
    }

    static let testableStaysInTests = Rule(
        name: "only tests use @testable", minimum: 200
    ) { project, inspection in
        for file in project.shipped {
            for found in file.imports {
                inspection.examine()
                if found.attributes.contains("testable") {
                    inspection.report(
                        file.path, found.line,
                        "@testable import \(found.module) exposes internal symbols; only Tests may use it.")
                }
            }
        }
    }
}
