/// What an update does to one file, decided from its three versions.
package enum MergeDecision: Sendable, Hashable {
    /// The template did not change it, or the service has what the template has now.
    case keep
    /// The service did not touch it: the template's new version, or `nil` for a file that goes.
    case take(FileContents?)
    /// Both changed it: to be merged line by line. The base is empty for a file that both added.
    case merge(base: FileContents, ours: FileContents, theirs: FileContents)
    /// What no merge settles; the service's version stays.
    case conflict(String)

    /// - Parameters:
    ///   - base: What the template made then; `nil` when it made no such file.
    ///   - ours: What the service has.
    ///   - theirs: What the template makes now.
    package init(base: FileContents?, ours: FileContents?, theirs: FileContents?) {
        switch (base, ours, theirs) {
        case _ where base == theirs || ours == theirs:
            self = .keep
        case _ where ours == base:
            self = .take(theirs)
        case (_, let ours?, let theirs?):
            guard ours.text != nil, theirs.text != nil, base?.text != nil || base == nil else {
                self = .conflict("is no text, and both sides changed it")
                return
            }
            self = .merge(base: base ?? FileContents(""), ours: ours, theirs: theirs)
        case (_, nil, _):
            self = .conflict("was deleted here, and changed by the template")
        case (_, _, nil):
            self = .conflict("was changed here, and deleted by the template")
        }
    }
}
