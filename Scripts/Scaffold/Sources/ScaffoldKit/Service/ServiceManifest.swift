/// The manifest of a service, made of the template's.
struct ServiceManifest: Sendable {
    private let template: String

    init(_ tree: TemplateTree) throws(ScaffoldRefusal) { template = try tree.text("Package.swift") }

    /// `Package.swift` of the service: its features and apps, Strata's modules as products.
    func service(_ spec: ServiceSpec, _ blocks: OnlyBlocks) throws(ScaffoldRefusal) -> String {
        var text = template
        let rows = layers.map { "    \"\($0.name)\": .\($0.layer)," }.joined(separator: "\n")
        try replace(
            "/// Modules that another package brings, each with its layer. Strata's own are rows above.\n"
                + "let brought: [String: Layer] = [:]",
            with: "/// The modules of Strata, each with its layer.\nlet brought: [String: Layer] = [\n\(rows)\n]"
                + ".merging(accounts.modules.map { ($0.name, $0.layer) }) { own, _ in own }",
            in: &text)
        try replace("    name: \"\(TemplateName.package)\",", with: "    name: \"\(spec.name)\",", in: &text)
        try replace(
            "\n        + shared.map { .library(name: $0, targets: [$0]) },",
            with: ",", in: &text)
        try replace(" + [accounts, exemplar, spaces]", with: "", in: &text)
        try replace(" && !isUsedByAnother", with: "", in: &text)
        // All modules of a service are one package with Accounts, whose names they see.
        text = text.replacing(", packageAccess: isStrata", with: ", packageAccess: false")
        try replace(
            "        if !isStrata { settings.append(.unsafeFlags([\"-package-name\", \"service\"])) }\n",
            with: "        // One package with Strata's logins, whose names are of `package`.\n"
                + "        settings.append(.unsafeFlags([\"-package-name\", \"service\"]))\n", in: &text)
        // Strata's layers have no rows in a service, so none of them uses more than its basis.
        try replace(
            "        case .tests, .appTests: nil\n", with: "        case .tests, .appTests: nil\n        default: []\n",
            in: &text)
        try replace(
            "        let mirror = \"Tests/\\(path.replacing(\"/Core\", with: \"\").replacing(\"Data/\", with: \"\"))\"\n"
                + "        let kind = layer.isOfAService ? Layer.appTests : .tests\n",
            with: "", in: &text)
        try replace("Tests\", kind, at: mirror,", with: "Tests\", .appTests, at: \"Tests/\\(path)\",", in: &text)
        try replace(
            "dependencies: libraries.map", with: "dependencies: \(dependency(spec.strata)) + libraries.map", in: &text)
        if case .url(let url, _) = spec.strata {
            try replace(
                "package: \"\(TemplateName.package)\")", with: "package: \"\(url.identity)\")", in: &text)
        }
        text = try blocks.cut(text, of: "Package.swift")
        try replace(
            "let core: [Module] = [\n]",
            with: "let core: [Module] = [\n    // Modules that several features share: "
                + "Module(\"\(spec.name)Clock\", .featureDomain, at: \"Clock\"),\n]", in: &text)
        // A list with one row has no comma.
        try replace("),\n    ] + ownFeatures.map(\\.tests)", with: ")\n    ] + ownFeatures.map(\\.tests)", in: &text)
        return text
    }

    /// Rows of the table `core`, as they stand in the text.
    private var layers: [(name: String, layer: String)] {
        let table =
            template.split(separator: "\nlet core: [Module] = [\n").dropFirst().first?
            .split(separator: "\n]\n").first ?? ""
        return table.split(separator: "Module(").dropFirst().compactMap { row in
            let words = row.split(separator: "\"", omittingEmptySubsequences: false)
            guard words.count >= 3, words[1].hasPrefix(TemplateName.package) else { return nil }
            return (String(words[1]), String(words[2].drop { !$0.isLetter }.prefix { $0.isLetter }))
        }
    }

    private func dependency(_ origin: StrataOrigin) -> String {
        switch origin {
        case .vendored, .path: "[.package(name: \"Strata\", path: \"Strata\")]"
        case .url(let url, let commit):
            "[\n        .package(\n            url: \"\(url.text)\",\n            revision: \"\(commit)\")\n    ]"
        }
    }

    private func replace(_ old: String, with new: String, in text: inout String) throws(ScaffoldRefusal) {
        let parts = text.split(separator: old, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Self.changed(old) }
        text = parts.joined(separator: new)
    }

    private static func changed(_ line: String) -> ScaffoldRefusal {
        ScaffoldRefusal(
            "Package.swift of the template has not exactly one '\(line.printable)', so no service can be made of it; restore it, "
                + "or teach ServiceManifest its new form.")
    }
}
