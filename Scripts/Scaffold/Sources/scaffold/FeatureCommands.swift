import ArgumentParser
import ScaffoldKit

struct NewFeature: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-feature", abstract: "Write a feature, wired into both programs.",
        usage:
            "new-feature NAME [--fields FIELDS] [--policy remote|cached|offline] [--plural NAME] [--dry-run] [--json]",
        discussion: """
            FIELDS, parted by spaces, each NAME:KIND with '?' behind it when it may be missing, then ':unique' or ':redact':

              title:string(1..200)    one line of 1 to 200 bytes
              note:text?              lines
              count:int(0..100)       a whole number; bounds may be left out
              load:double  done:bool  startedAt:date  device:uuid  page:url
              severity:enum(low,high) one of these words
              runbook:reference(Runbook)?
            """)

    @Argument(help: "One of them, upper camel case: Incident.") var name: String
    @Option(help: "What each has.") var fields = "title:string(1..200)"
    @Option(help: "What the client keeps: remote, nothing; cached, answers; offline, everything.")
    var policy = "offline"
    @Option(help: "Several of them. Default: the English plural.") var plural: String?
    @Flag(help: "Print what would be written, and end with status 3.") var dryRun = false
    @OptionGroup var tree: TreeOptions

    func run() throws {
        try tree.run { tool throws(ScaffoldRefusal) in
            guard let policy = FeatureSpec.Policy(rawValue: policy) else {
                throw ScaffoldRefusal(
                    "'\(policy.printable)' is no policy; there are remote, cached and offline. Use '--policy offline'.")
            }
            return try tool.add(
                AddFeature.Request(name: name, plural: plural, fields: fields, policy: policy), isDry: dryRun)
        }
    }
}

struct RemoveFeatureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-feature", abstract: "Take out what was written for a feature.",
        usage: "remove-feature NAME [--force] [--dry-run] [--json]")

    @Argument(help: "One of them: Incident.") var name: String
    @Flag(help: "Changed files too; a copy of each is kept under '.scaffold/backups'.") var force = false
    @Flag(help: "Print what would be removed, and end with status 3.") var dryRun = false
    @OptionGroup var tree: TreeOptions

    func run() throws {
        try tree.run { tool throws(ScaffoldRefusal) in try tool.remove(name, isForced: force, isDry: dryRun) }
    }
}

struct ListFeatures: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-features", abstract: "List the features that were made here.",
        usage: "list-features [--json]")

    @OptionGroup var tree: TreeOptions

    func run() throws { try tree.run { tool throws(ScaffoldRefusal) in try tool.list() } }
}

struct CheckFeature: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-feature", abstract: "Say what of a feature was edited, and whether something is missing.",
        usage: "check-feature [NAME] [--repair] [--json]")

    @Argument(help: "One of them. Default: all that were made here.") var name: String?
    @Flag(help: "Put the tree back as it was before a run that was interrupted.") var repair = false
    @OptionGroup var tree: TreeOptions

    func run() throws {
        try tree.run { tool throws(ScaffoldRefusal) in
            if repair { try tool.repair() }
            return try tool.check(name)
        }
    }
}
