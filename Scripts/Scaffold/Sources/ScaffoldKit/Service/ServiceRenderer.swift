/// Makes the files of a service out of the template's.
package struct ServiceRenderer: Sendable {
    /// The folder of files that only services have; they are renamed like all others.
    static let own = "Scripts/Scaffold/Service/"
    /// The folder of a service with the package Strata, unless it is fetched.
    static let strata: RelativePath = "Strata"

    package init() {}

    /// - Returns: Contents by path in the service, `.template.json` included.
    /// - Throws: A refusal when the template is not as this renderer knows it.
    package func render(
        _ spec: ServiceSpec, from template: TemplateTree
    ) throws(ScaffoldRefusal) -> [String: FileContents] {
        var tree = template
        for feature in OptionalFeature.all where spec.features.contains(feature.name) {
            tree = try feature.added(to: tree)
        }
        let known = try template.features().map(\.name) + OptionalFeature.all.map(\.name)
        let absent = Set(known).subtracting(spec.features)
        let extras = Extra.all(of: spec.extras)
        let blocks = OnlyBlocks(
            present: Set(spec.features + [spec.strata.word] + extras.map(\.word)), absent: absent)
        let renaming = Renaming(name: spec.spelling)
        var files: [String: FileContents] = [:]
        for (path, contents) in tree.files {
            if spec.strata == .vendored, Self.isOfStrata(path, absent) { files["\(Self.strata)/\(path)"] = contents }
            guard let place = Extra.place(of: path, among: extras) ?? Self.place(of: path, absent) else {
                continue
            }
            guard let text = contents.text else {
                files[renaming.path(place)] = contents
                continue
            }
            let own = Self.adjusted(try blocks.cut(text, of: path), at: place, spec, absent)
            files[renaming.path(place)] = FileContents(
                renaming.text(own, in: place), isExecutable: contents.isExecutable)
        }
        let manifest = try ServiceManifest(tree).service(spec, blocks)
        files["Package.swift"] = FileContents(renaming.text(manifest, in: "Package.swift"))
        files[TemplateRecord.path] =
            TemplateRecord(
                commit: tree.commit, isModified: tree.isModified, answers: spec, files: files.mapValues(\.digest)
            ).contents
        return files
    }

    // MARK: - Which files, and where

    /// The path of a file of the template in a service; `nil` for one that stays behind.
    private static func place(of path: String, _ absent: Set<String>) -> String? {
        if path.hasPrefix(own) {
            return absent.contains { path.contains("+\($0)") } ? nil : String(path.dropFirst(own.count))
        }
        if path.hasPrefix(commandTests) { return nil }
        if common.contains(path) || path.hasPrefix("Tests/Apps/") { return path }
        if path.hasPrefix("Docs/Packaging/") { return samples.contains(path) || Extra.isShared(path) ? nil : path }
        let parts = path.split(separator: "/").map(String.init)
        switch (parts[0], parts.dropFirst().first) {
        case ("Modules", "Features"), ("Tests", "Features"):
            // Documents that former versions of the demo recorded, and tests of a feature with others, which a service may not have.
            if parts.count > 3, ["Recorded", "Template"].contains(parts[3]) { return nil }
            return parts.count > 2 && !absent.contains(parts[2]) && !standing.contains(parts[2]) ? path : nil
        // A service counts its own versions.
        case ("Apps", _) where parts.last == "Version.swift": return nil
        case ("Apps", _): return absent.contains { path.contains("+\($0)") } ? nil : path
        default: return nil
        }
    }

    /// Features that Strata has for every service: logins, and what `new-feature` copies.
    private static let standing: Set<String> = ["Accounts", "Specimens"]

    /// Tests of the commands that every server has from Strata.
    private static let commandTests = "Tests/Apps/Backend/Commands/"

    private static let common: Set<String> = [".editorconfig", ".swift-format", "LICENSE"]

    /// Files of few services, which `Scripts/strata page` prints under the name of one that needs them.
    private static let samples = Set(
        ["haproxy.cfg", "nginx-replicas.conf", "shiftlog-sync.service", "shiftlog-sync.timer"].map {
            "Docs/Packaging/\($0)"
        }
    )

    /// Whether a copy of Strata in a service has the file: the libraries, the scripts that a service runs with the feature and the client
    /// that they copy, and the pages that they print.
    private static func isOfStrata(_ path: String, _ absent: Set<String>) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        if parts.starts(with: ["Modules", "Features"]) { return parts.count > 2 && standing.contains(parts[2]) }
        if parts.starts(with: ["Modules", "Clients"]) { return path.hasPrefix("Modules/Clients/Weather/") }
        return parts[0] == "Modules" || folders.contains { path.hasPrefix($0) } || scripts.contains(path)
    }

    private static let folders = [
        "Tests/Features/Specimens/", "Tests/Clients/Weather/", "Scripts/Scaffold/Sources/", "Scripts/lib/service/",
        "Docs/Guides/", "Docs/Packaging/",
    ]

    private static let scripts: Set<String> = [
        "Package.swift", "LICENSE", ".swift-format", "Scripts/Scaffold/Package.swift", "Scripts/lib/common.sh",
        "Scripts/lib/scaffold.sh", "Scripts/new-feature", "Scripts/add-field", "Scripts/remove-feature",
        "Scripts/list-features", "Scripts/new-client", "Scripts/remove-client", "Scripts/watch",
        "Scripts/lib/watch.py", "Scripts/lib/processes.py", "Scripts/format", "Scripts/openapi",
        "Scripts/lib/openapi_diff.py", "Docs/Operations.md",
    ]

    // MARK: - Small differences

    /// The abstract of the demo's command line.
    static let abstract = "An on-call journal with runbooks that works when the network does not."

    private static func adjusted(
        _ text: String, at place: String, _ spec: ServiceSpec, _ absent: Set<String>
    ) -> String {
        var text = text
        if spec.port != 8080, !place.hasPrefix("Tests/Features/"), !place.hasPrefix("Modules/Features/") {
            text = text.replacing(TemplateName.port, with: String(spec.port))
        }
        // The offline store is called after the journal where there is one.
        if absent.contains("Journal") {
            for (old, new) in [
                ("/journal/", "/offline/"), ("\"journal    ", "\"offline    "), ("\"journal\",", "\"offline\","),
            ] { text = text.replacing(old, with: new) }
        }
        return place.hasPrefix("Apps/CLI/")
            ? text.replacing(abstract, with: "Works with or without the network.") : text
    }
}
