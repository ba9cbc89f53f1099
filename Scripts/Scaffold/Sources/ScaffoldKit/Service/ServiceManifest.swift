/// The manifests of a service, made of the template's.
struct ServiceManifest: Sendable {
    private let template: String
    /// For what only Strata's own manifest does when it is fetched.
    private static let foundation = "import Foundation\n"
    private static let path: RelativePath = "Package.swift"

    init(_ tree: TemplateTree) throws(ScaffoldRefusal) { template = try tree.text("Package.swift") }

    /// `Package.swift` of the service: its features and apps, Strata's modules as products.
    func service(_ spec: ServiceSpec, _ blocks: OnlyBlocks) throws(ScaffoldRefusal) -> String {
        var text = template
        let rows = layers.map { "    \"\($0.name)\": .\($0.layer)," }.joined(separator: "\n")
        try replace(
            "/// Modules that another package brings, each with its layer. Strata's own are rows above.\n"
                + "let brought: [String: Layer] = [:]",
            with: "/// The modules of Strata, each with its layer.\nlet brought: [String: Layer] = [\n\(rows)\n]",
            in: &text)
        try replace("    name: \"\(TemplateName.package)\",", with: "    name: \"\(spec.name)\",", in: &text)
        try replace(
            " + modules.filter { $0.name.hasPrefix(\"Strata\") }.map { .library(name: $0.name, targets: [$0.name]) },",
            with: ",", in: &text)
        try replace(
            "dependencies: libraries.map", with: "dependencies: [\(dependency(spec.strata))] + libraries.map", in: &text
        )
        try replace(Self.foundation, with: "", in: &text)
        if case .url(let url, _) = spec.strata {
            try replace(
                "package: \"\(TemplateName.package)\")", with: "package: \"\(url.identity)\")", in: &text)
        }
        text = try blocks.cut(text, of: "Package.swift")
        try replace(
            "let core: [Module] = [\n]",
            with: "/// Modules that several features share; none yet.\nlet core: [Module] = [\n    // "
                + "Module(\"\(spec.name)Clock\", .domain, at: \"Clock\"),\n]", in: &text)
        return text
    }

    /// `Strata/Package.swift` beside the modules: the libraries alone.
    func libraries(_ blocks: OnlyBlocks) throws(ScaffoldRefusal) -> String {
        var text = template
        try cut(from: "let apps: [Module] = [\n", through: "\n]\n", putting: "let apps: [Module] = []\n", in: &text)
        try cut(
            from: "let tests: [Test] =\n", through: ".map(\\.tests)\n", putting: "let tests: [Test] = []\n", in: &text)
        try cut(from: "        .executable(name:", through: "    ] + modules", putting: "    ] + modules", in: &text)
        try replace("    products: [\n    ] + modules", with: "    products: modules", in: &text)
        try cut(from: "/// What `Scripts/new-feature` copies:", through: "\"])\n\n", putting: "", in: &text)
        try cut(
            from: "// scaffold:only Template\n// Fetched for another package",
            through: "// scaffold:end-only\n\n",
            putting: "", in: &text)
        try replace(Self.foundation, with: "", in: &text)
        text = text.replacing("(features + [exemplar])", with: "features")
        return try blocks.cut(text, of: "Package.swift")
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
        case .vendored, .path: ".package(name: \"Strata\", path: \"Strata\")"
        case .url(let url, let commit): ".package(url: \"\(url.text)\", revision: \"\(commit)\")"
        }
    }

    private func replace(_ old: String, with new: String, in text: inout String) throws(ScaffoldRefusal) {
        let parts = text.split(separator: old, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Self.changed(old) }
        text = parts.joined(separator: new)
    }

    private func cut(
        from start: String, through end: String, putting new: String, in text: inout String
    ) throws(ScaffoldRefusal) {
        guard let first = text.firstRange(of: start), let last = text[first.upperBound...].firstRange(of: end) else {
            throw Self.changed(start)
        }
        text.replaceSubrange(first.lowerBound..<last.upperBound, with: new)
    }

    private static func changed(_ line: String) -> ScaffoldRefusal {
        ScaffoldRefusal(
            "Package.swift of the template has not exactly one '\(line.printable)', so no service can be made of it; restore it, "
                + "or teach ServiceManifest its new form.")
    }
}
