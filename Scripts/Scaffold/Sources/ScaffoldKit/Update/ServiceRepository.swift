import FoundationEssentials

/// The repository of a service, before an update may touch it.
package struct ServiceRepository: Sendable {
    package let root: String
    package let record: TemplateRecord
    package let tree: SourceTree

    /// - Throws: A refusal when it is no service, or when something in it is not committed.
    package init(_ root: String) throws(ScaffoldRefusal) {
        self.root = root
        let files = try LocalFileSystem(root: root)
        tree = SourceTree(files)
        guard let contents = try tree.contents(".template.json") else {
            throw ScaffoldRefusal(
                "'\(root.printable)' has no '\(TemplateRecord.path)', so it was not made by new-service, or the file is lost; "
                    + "restore it from version control.")
        }
        record = try TemplateRecord(contents)
        let git = Git(root)
        guard try git(["rev-parse", "--verify", "--quiet", "HEAD"]).status == 0 else {
            throw ScaffoldRefusal(
                "'\(root.printable)' is no repository with a commit, so an update could not be undone; run 'git init' and commit."
            )
        }
        let changed = try git.lines(["status", "--porcelain"])
        guard changed.isEmpty else {
            throw ScaffoldRefusal(
                "The service has changes that are in no commit (\(changed.prefix(3).joined(separator: ", ").printable)); commit or "
                    + "stash them first, so that the update can be undone.")
        }
        let marked = try git(["grep", "--files-with-matches", "-E", "^(<<<<<<< here|>>>>>>> template now)"])
        guard marked.status != 0 else {
            throw ScaffoldRefusal(
                "Conflicts of an earlier update are still marked in: "
                    + "\(marked.text.split(separator: "\n").prefix(5).joined(separator: ", ").printable). Settle them first."
            )
        }
    }

    /// - Parameters:
    ///   - template: A checkout of Strata.
    ///   - commit: Default: the one that is checked out there.
    ///   - address: Where the service has Strata from afterwards, instead of a link or another URL. Default: as it is.
    ///   - extras: What the service gets besides what it has. Default: nothing.
    /// - Throws: A refusal, also of `address` for a service with a copy of Strata.
    package func update(
        from template: String, to commit: String?, fetching address: RepositoryURL? = nil, adding extras: [Extra] = []
    ) throws(ScaffoldRefusal) -> TemplateUpdate {
        let new = try TemplateTree.committed(commit ?? "HEAD", at: template)
        // Files that each service had once, and that are an extra now.
        let extras = extras + Extra.allCases.filter { extra in record.files.keys.contains(where: extra.owns) }
        var answers = record.answers
        var url = address
        switch answers.strata {
        case .vendored where address != nil:
            throw ScaffoldRefusal("The service has a copy of Strata in its folder 'Strata'; leave out --from.", .usage)
        case .url(let known, _): url = address ?? known
        default: break
        }
        if case .path(let path) = answers.strata, url == nil {
            answers = answers.moved(to: .path(try linked(path, at: new.commit)), adding: extras)
        } else {
            answers = answers.moved(to: url.map { .url($0, commit: new.commit) }, adding: extras)
        }
        let base = try PureOutput(record: record, template: template, service: root).files()
        let theirs = try ServiceRenderer().render(answers, from: new)
        return try TemplateUpdate(base: base, theirs: theirs, in: tree, fetches: url != nil)
    }

    /// The checkout that the service builds with, by its link. Default: `path`, as recorded.
    ///
    /// - Throws: A refusal when the checkout is not there, or is older than `commit`: the service would have files of one Strata and be
    ///   built with another.
    private func linked(_ path: String, at commit: String) throws(ScaffoldRefusal) -> String {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(root)/\(ServiceRenderer.strata)")
        let place = target.map { Places.real($0.hasPrefix("/") ? $0 : "\(root)/\($0)") } ?? path
        guard Places.isFolder(place) else {
            throw ScaffoldRefusal(
                "The service is built with '\(place.printable)', by the link 'Strata', and that folder is not there. Link to a checkout "
                    + "with 'ln -sfn CHECKOUT Strata' and commit, or take Strata from a URL with --from.")
        }
        let git = Git(place)
        // A folder that is no repository has no commit to compare.
        guard let head = try git(["rev-parse", "--verify", "--quiet", "HEAD"]).text.split(separator: "\n").first,
            try git(["merge-base", "--is-ancestor", commit, "HEAD"]).status != 0
        else { return place }
        throw ScaffoldRefusal(
            "The service is built with '\(place.printable)', by the link 'Strata', which is at \(head.prefix(12)) and does not have "
                + "\(commit.prefix(12)). Check that commit out there, or link to a checkout that has it with 'ln -sfn CHECKOUT Strata' "
                + "and commit, or take Strata from a URL with --from.")
    }

    /// - Throws: A refusal after which the service is as before.
    package func apply(_ update: TemplateUpdate) throws(ScaffoldRefusal) {
        let disk = try LocalFileSystem(root: root)
        let link = ServiceRenderer.strata
        let old: RelativePath = "Strata/Modules"
        try PlanRunner(disk).apply(update.plan) { () throws(FileFault) in
            if update.fetches {
                // A link would win over the URL: `Scripts/strata` and the update use it.
                if try disk.kind(of: link) == .link { try disk.remove(link) }
                return
            }
            // Earlier versions linked the modules alone, in a folder with a manifest of its own.
            guard case .path(let path) = record.answers.strata, try disk.kind(of: link) == .folder,
                try disk.kind(of: old) == .link
            else { return }
            try disk.remove(old)
            try disk.removeFolder(link)
            try disk.link(link, to: path)
        }
    }
}
