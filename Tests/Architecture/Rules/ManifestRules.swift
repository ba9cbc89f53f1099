/// Rules on the dependencies in `Package.swift`, independent of the manifest's own check.
extension Rule {
    private static let manifestPath = "Package.swift"

    static let edgesFitTheLayers = Rule(
        name: "every declared edge is legal for the layer", minimum: 100
    ) { project, inspection in
        for target in project.manifest.targets {
            let line = project.manifest.line(of: target.name)
            guard let layer = Layer(path: target.path) else {
                inspection.report(
                    manifestPath, line, "\(target.name) is in '\(target.path)', which belongs to no layer.")
                continue
            }
            for used in target.uses {
                inspection.examine()
                let seen = project.manifest[used].flatMap { Layer(path: $0.path) }
                if seen.map(layer.mayUse.contains) != true {
                    let place = seen?.rawValue ?? "no such module"
                    inspection.report(
                        manifestPath, line,
                        "Illegal edge: \(target.name) (\(layer)) may not use \(used) (\(place)).")
                }
            }
            for product in target.products {
                inspection.examine()
                if let allowed = layer.mayImport, !allowed.contains(product) {
                    inspection.report(
                        manifestPath, line,
                        "Illegal edge: \(target.name) (\(layer)) may not use the product \(product).")
                }
            }
        }
    }

    static let edgesFormNoCycle = Rule(
        name: "no module depends on itself", minimum: 25
    ) { project, inspection in
        for target in project.manifest.targets {
            inspection.examine()
            if let used = target.uses.first(where: { project.manifest.closure(of: $0).targets.contains(target.name) }) {
                inspection.report(
                    manifestPath, project.manifest.line(of: target.name),
                    "\(target.name) depends on itself through \(used).")
            }
        }
    }

    static let edgesAreUsed = Rule(
        name: "every declared edge of a module is used by an import", minimum: 50
    ) { project, inspection in
        for target in project.manifest.targets where !target.isTest {
            let imported = Set(project.files(of: target).flatMap(\.imports).map(\.module))
            // The layer adds the edges to the leaves and to Domain. A composition may name any entity, for its files.
            var ground: [Layer] = [.leaf, .http, .domain]
            if Layer(path: target.path) == .backend { ground.append(.featureDomain) }
            let edges = target.uses.compactMap { project.manifest[$0] }.filter { used in
                Layer(path: used.path).map { !ground.contains($0) } ?? true
            }
            for used in edges.map(\.moduleName) + target.products {
                inspection.examine()
                if !imported.contains(used) {
                    inspection.report(
                        manifestPath, project.manifest.line(of: target.name),
                        "\(target.name) declares \(used), which none of its files imports; remove the edge.")
                }
            }
        }
    }

    static let featuresStayApart = Rule(
        name: "a feature uses only the Domain of another feature", minimum: 10
    ) { project, inspection in
        for target in project.manifest.targets {
            guard let feature = Layer.feature(ofPath: target.path) else { continue }
            for used in target.uses {
                guard let seen = project.manifest[used], let other = Layer.feature(ofPath: seen.path) else { continue }
                inspection.examine()
                if other != feature, Layer(path: seen.path) != .featureDomain {
                    inspection.report(
                        manifestPath, project.manifest.line(of: target.name),
                        "\(target.name) of the feature \(feature) uses \(used) of the feature \(other); "
                            + "only its Domain may be used.")
                }
            }
        }
    }

    /// In a service Strata is another package. Code that compiles here must compile there.
    static let servicesSeeWhatIsPublic = Rule(
        name: "a feature, a client or an app sees only public symbols of Strata", minimum: 8
    ) { project, inspection in
        for target in project.manifest.targets {
            guard let layer = Layer(path: target.path), layer.isOfAService else { continue }
            inspection.examine()
            if target.hasPackageAccess {
                inspection.report(
                    manifestPath, project.manifest.line(of: target.name),
                    "\(target.name) is compiled with Strata's package name; set packageAccess: false.")
            }
        }
    }

    static let filesBelongToTargets = Rule(
        name: "every source file belongs to a target", minimum: 150
    ) { project, inspection in
        for file in project.files {
            inspection.examine()
            if project.target(of: file) == nil {
                inspection.report(
                    file.path, 1, "No target of Package.swift has this folder, so nothing compiles the file.")
            }
        }
    }

    /// The layers and products that an app may not link, not even indirectly.
    private static let foreign: [(app: String, layers: Set<Layer>, products: Set<String>)] = [
        ("Apps/CLI", [.service, .store, .featureService], ["Hummingbird", "JWTKit", "CryptoExtras"]),
        ("Apps/Backend", [.data, .terminal, .featureData, .featurePresentation], []),
    ]

    static let appsLinkTheirSideOnly = Rule(
        name: "the CLI links no service, the backend no client data", minimum: 20
    ) { project, inspection in
        for (app, layers, products) in foreign {
            guard let target = project.manifest.targets.first(where: { $0.path == app }) else { continue }
            let reached = project.manifest.closure(of: target.name)
            let line = project.manifest.line(of: target.name)
            for name in reached.targets.sorted() {
                inspection.examine()
                guard let path = project.manifest[name]?.path, let layer = Layer(path: path), layers.contains(layer)
                else { continue }
                inspection.report(
                    manifestPath, line, "\(target.name) links \(name) of '\(path)', which belongs to the other side.")
            }
            for product in reached.products.intersection(products).sorted() {
                inspection.report(
                    manifestPath, line, "\(target.name) links the product \(product), which belongs to the other side.")
            }
        }
    }
}
