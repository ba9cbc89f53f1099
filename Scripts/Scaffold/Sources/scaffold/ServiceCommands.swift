import ScaffoldKit

extension Main {
    /// `new-service NAME --output DIR`: a service of its own, made of the template at `--strata`.
    static func newService(_ words: some Sequence<String>) throws(ScaffoldRefusal) -> Report {
        let arguments = try Arguments(
            words,
            .init(
                "new-service", names: ["NAME"], options: ["output", "features", "from", "port", "strata"],
                flags: Extra.allCases.map(\.rawValue) + ["spaces", "vendor", "no-git", "dry-run", "json"]))
        let name = try ServiceName.checked(arguments.names[0])
        guard let output = arguments["output"] else {
            throw ScaffoldRefusal("'new-service' needs --output DIR, a folder that is empty or not there yet.", .usage)
        }
        let port = Int(arguments["port"] ?? "8080") ?? 0
        guard (1024...65_535).contains(port) else {
            throw ScaffoldRefusal(
                "'--port \((arguments["port"] ?? "").printable)' is no port from 1024 to 65535; use 8080.", .usage)
        }
        let template = Places.real(try absolute(arguments["strata"] ?? "."))
        let tree = try TemplateTree.checkedOut(at: template)
        let spec = ServiceSpec(
            name: name.upperCamel,
            features: try tree.chosen(arguments["features"] ?? "demo", withSpaces: arguments.has("spaces")),
            strata: try origin(arguments, template, tree.commit), port: port,
            extras: extras(arguments))
        let folder = Places.real(try absolute(output))
        let service = try NewService(spec, in: folder, template: template, from: tree)
        if !arguments.has("dry-run") {
            try service.write(secret: secret())
            if !arguments.has("no-git") { try repository(at: folder, tree.commit) }
        }
        if tree.isModified {
            tell("The template has changes that are in no commit; update-from-template cannot make this service again.")
        }
        return report(service, isDry: arguments.has("dry-run"))
    }

    private static func extras(_ arguments: Arguments) -> [Extra] {
        Extra.allCases.filter { arguments.has($0.rawValue) }
    }

    /// Where the service has Strata from. Default: the address of the template's repository, else its folder.
    private static func origin(
        _ arguments: Arguments, _ template: String, _ commit: String
    ) throws(ScaffoldRefusal) -> StrataOrigin {
        if arguments.has("vendor") {
            guard arguments["from"] == nil else { throw ScaffoldRefusal("Use --vendor or --from, not both.", .usage) }
            return .vendored
        }
        guard let text = arguments["from"] else {
            return try TemplateTree.origin(of: template).map { .url($0, commit: commit) } ?? .path(template)
        }
        if RepositoryURL.isMeant(by: text) { return .url(try RepositoryURL(text), commit: commit) }
        let path = try absolute(text)
        guard Places.isFolder("\(path)/Modules/Domain") else {
            throw ScaffoldRefusal(
                "'\(text.printable)' is no checkout of Strata: it has no 'Modules/Domain'. Use --from PATH or URL.",
                .usage)
        }
        return .path(Places.real(path))
    }

    private static func repository(at folder: String, _ commit: String) throws(ScaffoldRefusal) {
        let git = Git(folder)
        _ = try git.lines(["init", "--quiet"])
        _ = try git.lines(["add", "--all"])
        if try git(["commit", "--quiet", "--message", "Start from Strata \(commit.prefix(12))"]).status != 0 {
            tell(
                "git has no name to commit under. All files are staged; commit them when 'git config user.email' is set."
            )
        }
    }

    private static let switching = "Scripts/update-from-template --from URL"

    private static func report(_ service: NewService, isDry: Bool) -> Report {
        let source =
            switch service.spec.strata {
            case .vendored: "Strata is copied into the folder 'Strata'."
            case .path(let path):
                "Strata is the checkout '\(path)', by the link 'Strata'. Other machines, CI and containers do not have that folder "
                    + "and cannot build the service: '\(switching)' replaces the link by a URL."
            case .url(let url, let commit):
                "Strata comes from '\(url.text)' at \(commit.prefix(12)); that commit has to be there."
            }
        let folder = service.folder
        return Report(
            .done, "\(isDry ? "Would write" : "Wrote") \(service.paths.count) files to '\(folder)'. \(source)",
            changes: isDry ? service.paths.map { Report.Change(action: "create", path: $0) } : [],
            next: isDry
                ? []
                : [
                    "Test it:   cd '\(folder)' && Scripts/test", "Run it:    Scripts/run-server",
                    "Use it:    .build/debug/\(service.spec.spelling.kebab) --help", "Undo it:   remove the folder",
                ])
    }

    /// 384 random bits in 96 hexadecimal digits.
    private static func secret() -> String {
        // The system's generator is the kernel's, made for keys.
        var generator = SystemRandomNumberGenerator()
        return (0..<48).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// `update-from-template --service DIR`: brings changes of the template at `--strata` into a service.
    static func update(_ words: some Sequence<String>) throws(ScaffoldRefusal) -> Report {
        let arguments = try Arguments(
            words,
            .init(
                "update-from-template", options: ["service", "to", "from", "strata"],
                flags: Extra.allCases.map(\.rawValue) + ["dry-run", "json"]))
        guard let service = arguments["service"] else {
            throw ScaffoldRefusal("'update-from-template' needs --service DIR, a service made by new-service.", .usage)
        }
        let isDry = arguments.has("dry-run")
        let repository = try ServiceRepository(absolute(service))
        let address = try arguments["from"].map { text throws(ScaffoldRefusal) in try RepositoryURL(text) }
        let update = try repository.update(
            from: absolute(arguments["strata"] ?? "."), to: arguments["to"], fetching: address,
            adding: extras(arguments))
        let missed = try repository.missed(by: update)
        let advice = isDry ? [] : try repository.advice(on: update, missing: missed.map(\.path))
        if !isDry { try repository.apply(update) }
        let changes = update.lines.filter { $0.verb != "conflict" } + update.conflicts
        if update.plan.isEmpty && update.conflicts.isEmpty {
            return Report(.done, "The service has what the template has; nothing was changed.")
        }
        let message =
            changes.isEmpty
            ? "The service has what the template has; '\(TemplateRecord.path)' \(isDry ? "would name" : "names") the new commit."
            : "\(isDry ? "Would change" : "Changed") \(changes.count - update.conflicts.count) files; "
                + "\(update.conflicts.count) in conflict."
        return Report(
            update.conflicts.isEmpty ? .done : .refused, message,
            changes: changes.map { line in
                Report.Change(action: line.verb, path: line.path + (line.reason.map { ": \($0)" } ?? ""))
            }
                + missed.map { path, names in
                    Report.Change(
                        action: "missed", path: "\(path): is deleted, and named by \(names.joined(separator: ", "))")
                },
            next: isDry
                ? []
                : advice + [
                    "Look at it with 'git diff', run Scripts/test, commit.",
                    "Undo it:   git checkout -- . && git clean -d --force",
                ])
    }
}
