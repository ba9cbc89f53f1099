/// The name of a client, from the arguments.
enum ClientNames {
    /// - Throws: A refusal with a name that is accepted.
    static func read(_ name: String) throws(ScaffoldRefusal) -> Spelling {
        try FeatureNames.checkShape(name, of: ClientSpec.noun, example: "Weather")
        let spelling = Spelling(name)
        if ReservedWords.swift.contains(spelling.lowerCamel) {
            throw ScaffoldRefusal(
                "'\(name)' is a keyword of Swift; use a longer name, such as '\(name)Gateway'.", .usage)
        }
        return spelling
    }

    /// Clients and features are folders, and the case of letters is no difference on many disks; a build may have the name of a
    /// module, or of a test target, once.
    ///
    /// - Throws: A refusal for a name that a folder or a module has.
    static func checkFree(_ name: String, in tree: SourceTree, strata: SourceTree) throws(ScaffoldRefusal) {
        func refusal(_ reason: String) -> ScaffoldRefusal {
            ScaffoldRefusal("'\(name)' \(reason). Use another name, such as '\(name)Gateway'.")
        }
        let small = name.lowercased()
        for home in [ClientSpec.home, FeatureSpec.home] {
            for parent in ["Modules/\(home)", "Tests/\(home)"] {
                let names = try tree.names(in: RelativePath(parent))
                if let found = names.first(where: { $0.lowercased() == small }) {
                    throw refusal("is taken: there is a \(home.dropLast().lowercased()) '\(found)'")
                }
            }
        }
        var modules = ReservedWords.modules
        for feature in try tree.names(in: "Modules/Features") + ["Accounts", "Specimens"] {
            modules.formUnion([feature] + FeatureSpec.parts.map { feature + $0 })
        }
        modules.formUnion(quoted(in: try tree.text(RegionLine.manifest)) { _ in true })
        // A service names only some of the libraries that it links.
        modules.formUnion(quoted(in: try strata.text(RegionLine.manifest)) { $0.contains("Library(") })
        let isTaken = modules.contains(name) || modules.contains("\(name)Tests")
        if small.hasPrefix("strata") || small.hasSuffix("tests") || isTaken {
            throw refusal("is the name of a module, or of its tests, that a build has already")
        }
    }

    /// The words in quotes on some lines of a manifest.
    private static func quoted(in manifest: String, where isMeant: (Substring) -> Bool) -> [String] {
        manifest.split(separator: "\n").filter(isMeant).flatMap { line in
            line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        }
    }
}
