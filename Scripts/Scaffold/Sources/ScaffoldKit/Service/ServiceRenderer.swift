/// Makes the files of a service out of the template's.
package struct ServiceRenderer: Sendable {
    /// The folder of files that only services have; they are renamed like all others.
    static let own = "Scripts/Scaffold/Service/"

    package init() {}

    /// - Returns: Contents by path in the service, `.template.json` included.
    /// - Throws: A refusal when the template is not as this renderer knows it.
    package func render(_ spec: ServiceSpec, from tree: TemplateTree) throws(ScaffoldRefusal) -> [String: FileContents]
    {
        let absent = Set(try tree.features().map(\.name)).subtracting(spec.features).subtracting(TemplateTree.standing)
        let present = Set(spec.features).union(TemplateTree.standing)
        let blocks = OnlyBlocks(present: present, absent: absent)
        let renaming = Renaming(name: spec.spelling)
        let words = AbsentFeatures(absent)

        let left = Self.ofFeatures.filter { $0.value.isSubset(of: absent) }.keys

        var files: [String: FileContents] = [:]
        for (path, contents) in tree.files where !left.contains(where: path.hasPrefix) {
            guard let place = place(of: path, spec, absent, words, contents) else { continue }
            guard let text = contents.text else {
                files[renaming.path(place)] = contents
                continue
            }
            let own = Self.adjusted(try blocks.cut(text, of: path), at: place, spec, words)
            files[renaming.path(place)] = FileContents(
                renaming.text(own, in: place), isExecutable: contents.isExecutable)
        }

        let manifest = try ServiceManifest(tree)
        files["Package.swift"] = FileContents(renaming.text(try manifest.service(spec, blocks), in: "Package.swift"))
        switch spec.strata {
        case .url: break
        case .vendored, .path:
            let all = Set(try tree.features().map(\.name))
            files["Strata/Package.swift"] = FileContents(
                try manifest.libraries(OnlyBlocks(present: ["Template"], absent: all)))
        }
        files[RepositoryNames.broughtPath.description] = try RepositoryNames.brought(by: tree.files)
        for (path, contents) in files where path.hasSuffix(".md") {
            guard let text = contents.text else { continue }
            files[path] = FileContents(Links(files).resolved(text, of: path), isExecutable: contents.isExecutable)
        }
        files[TemplateRecord.path] =
            TemplateRecord(
                commit: tree.commit, isModified: tree.isModified, answers: spec, files: files.mapValues(\.digest)
            ).contents
        return files
    }

    // MARK: - Which files, and where

    /// Where a file of the template goes; `nil` when the service does not have it.
    private func place(
        of path: String, _ spec: ServiceSpec, _ absent: Set<String>, _ words: AbsentFeatures, _ contents: FileContents
    ) -> String? {
        let parts = path.split(separator: "/").map(String.init)
        switch (parts[0], parts.dropFirst().first ?? "") {
        case ("Scripts", "Scaffold"):
            if path.hasPrefix(Self.own) { return String(path.dropFirst(Self.own.count)) }
            return Self.isOfTemplateOnly(parts) ? nil : path
        case ("Modules", "Features"), ("Tests", "Features"):
            guard parts.count > 2, !absent.contains(parts[2]) else { return nil }
            return path
        case ("Modules", _):
            return spec.strata == .vendored ? "Strata/\(path)" : nil
        case ("Tests", "Architecture"):
            return path
        case ("Tests", "Apps"), ("Tests", "EndToEnd"):
            // What these tests act on is in their text; those about the caching proxy are Strata's own.
            let isOwn = path.contains("CacheProxy")
            return isOwn || words.occur(in: contents.text ?? "") ? nil : path
        case ("Apps", _):
            return absent.contains { path.contains("+\($0)") } ? nil : path
        case ("Docs", "Guides"), ("Docs", "Decisions"):
            if Self.common.contains(path) { return path }
            return spec.strata == .vendored ? "Strata/\(path)" : nil
        case ("Docs", "Samples"):
            return parts.count > 2 && absent.contains(where: { $0.lowercased() == parts[2] }) ? nil : path
        default:
            return Self.common.contains(path) || Self.commonFolders.contains(where: path.hasPrefix) ? path : nil
        }
    }

    /// Files that only the tests of these features use, and that do not name them in their text.
    private static let ofFeatures: [String: Set<String>] = [
        "Tests/EndToEnd/Faults/": ["Journal"], "Tests/EndToEnd/Homes/": ["Journal"], "Scripts/chaos": ["Journal"],
        "Tests/EndToEnd/RealTime.swift": ["Journal"], "Tests/EndToEnd/Relay.swift": ["Attachments", "Journal"],
    ]

    /// The library that end-to-end tests load into the programs.
    private static let faults = "Scripts/lib/faults.c"

    private static let common: Set<String> = [
        ".editorconfig", ".gitignore", ".swift-format", ".ci/run", "LICENSE", "Docs/Operations.md",
        "Docs/Guides/FirstFeature.md", "Scripts/check", "Scripts/format",
        "Scripts/test",
        "Scripts/new-feature", "Scripts/remove-feature", "Scripts/list-features", "Scripts/check-feature",
        "Scripts/lib/common.sh", "Scripts/lib/scaffold.sh", "Scripts/lib/check_docs.py", "Scripts/lib/check_secrets.py",
        "Scripts/lib/check_packaging.py", "Scripts/lib/check_guides.py", "Scripts/chaos", faults,
    ]

    private static let commonFolders = ["Docs/Packaging/", "Docs/Features/"]

    /// What makes services is no part of one.
    private static func isOfTemplateOnly(_ parts: [String]) -> Bool {
        parts.contains("Service") || parts.contains("Update") || parts.contains("ServiceCommands")
    }

    // MARK: - Small differences

    /// What the demo's command line says of itself.
    static let abstract = "An on-call journal with runbooks that works when the network does not."

    private static func adjusted(_ text: String, at place: String, _ spec: ServiceSpec, _ words: AbsentFeatures)
        -> String
    {
        var text = text
        if spec.port != 8080, !place.hasPrefix("Strata/"), !place.hasPrefix("Tests/Features/"),
            !place.hasPrefix("Modules/Features/")
        {
            text = text.replacing(TemplateName.port, with: String(spec.port))
        }
        if place.hasPrefix("Apps/") || place.hasPrefix("Docs/") {
            text = words.withoutRows(words.replacedByOthers(text))
        }
        // Tables of tests and pictures are Strata's own.
        if place == "Scripts/check" {
            text = text.replacing(" commands cases pictures packaging", with: " commands packaging")
        }
        if place.hasPrefix("Apps/CLI/") {
            text = text.replacing(Self.abstract, with: "Works with or without the network.")
        }
        return text
    }
}
