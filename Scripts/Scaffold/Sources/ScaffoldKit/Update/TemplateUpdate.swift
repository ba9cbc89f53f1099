/// Brings a newer template into a service, file by file.
package struct TemplateUpdate: Sendable {
    /// What happens to one file, for people.
    package struct Line: Sendable, Hashable {
        package let path: String
        /// `update`, `create`, `delete`, `merge` or `conflict`.
        package let verb: String
        /// Why it is a conflict.
        package let reason: String?

        init(_ path: String, _ verb: String, _ reason: String? = nil) {
            self.path = path
            self.verb = verb
            self.reason = reason
        }
    }

    package let lines: [Line]
    package let plan: Plan
    /// For a conflict the version of the template that the service will not have: what it made then if it makes none now, else what it
    /// makes now.
    let others: [String: FileContents]
    /// What the template makes now.
    let theirs: [String: FileContents]
    /// Whether the package manager fetches Strata afterwards.
    let fetches: Bool

    /// Files with marks of a conflict, or that a person has to decide about.
    package var conflicts: [Line] { lines.filter { $0.verb == "conflict" } }

    /// - Parameters:
    ///   - base: What the template made then.
    ///   - theirs: What it makes now, with the new record.
    ///   - service: The service as it is.
    ///   - fetches: Whether the package manager fetches Strata afterwards.
    package init(
        base: [String: FileContents], theirs: [String: FileContents], in service: SourceTree, fetches: Bool = false
    ) throws(ScaffoldRefusal) {
        var lines: [Line] = []
        var changes: [FileChange] = []
        var others: [String: FileContents] = [:]
        for path in Set(base.keys).union(theirs.keys).sorted() where path != TemplateRecord.path {
            let place = try RelativePath(path)
            let ours = try service.contents(place)
            switch MergeDecision(base: base[path], ours: ours, theirs: theirs[path]) {
            case .keep: continue
            case .take(nil):
                lines.append(Line(path, "delete"))
                changes.append(.delete(place))
            case .take(let new?):
                lines.append(Line(path, ours == nil ? "create" : "update"))
                changes.append(ours == nil ? .create(place, new) : .replace(place, new))
            case .merge(let base, let ours, let theirs):
                let merged = try LineMerge()(base: base, ours: ours, theirs: theirs, of: place)
                lines.append(
                    merged.conflicts == 0
                        ? Line(path, "merge")
                        : Line(
                            path, "conflict", "has \(merged.conflicts) marked in it: both sides changed the same lines")
                )
                if merged.text != ours { changes.append(.replace(place, merged.text)) }
            case .conflict(let reason):
                lines.append(Line(path, "conflict", reason))
                others[path] = theirs[path] ?? base[path]
            }
        }
        let record: RelativePath = ".template.json"
        if let new = theirs[TemplateRecord.path], try service.contents(record) != new {
            changes.append(.replace(record, new))
        }
        self.lines = lines
        self.others = others
        self.theirs = theirs
        self.fetches = fetches
        plan = try Plan(changes, in: service)
    }
}
