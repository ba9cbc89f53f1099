import ArgumentParser
import FoundationEssentials
import Glibc
import ScaffoldKit

/// `new-service`: a service of its own made of this repository.
struct NewServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-service", abstract: "Make a service of your own out of this repository.",
        discussion: "Exit codes: 0 done, 1 refused, 2 usage, 3 a dry run that would write.")

    @Argument(help: "Such as 'Orders': letters and digits, a capital first.") var name: String
    @Option(help: "A folder that is empty or not there yet.") var output: String
    @Option(help: "demo, none, or features with commas between them.") var features = "demo"
    @Option(help: "Where Strata's modules are: the path of a checkout, or the URL of a repository with this commit.")
    var strata: String?
    @Flag(help: "Copy Strata's modules into the service; the default.") var vendor = false
    @Option(help: "The port the server listens at by default.") var port = 8080
    @Flag(name: .customLong("no-git"), help: "Make no repository.") var noGit = false
    @Flag(help: "Say what would be written, and write nothing.") var dryRun = false
    @Flag(help: "Print one JSON document.") var json = false
    @Option(help: .hidden) var root: String

    func validate() throws {
        guard !vendor || strata == nil else { throw ValidationError("Write --vendor or --strata, not both.") }
        guard (1024...65_535).contains(port) else {
            throw ValidationError("--port is \(port); give one from 1024 to 65535.")
        }
    }

    func run() throws {
        let name = try ServiceName.checked(name)
        let tree = try TemplateTree.checkedOut(at: root)
        let spec = ServiceSpec(
            name: name.upperCamel, features: try tree.chosen(features), strata: try origin(at: tree.commit), port: port)
        let folder = output.hasPrefix("/") ? output : FileManager.default.currentDirectoryPath + "/" + output
        let service = try NewService(spec, in: folder, template: root, from: tree)
        if !dryRun {
            try service.write(secret: Self.secret())
            if !noGit { try repository(at: folder, tree) }
        }
        try report(service, tree)
        if dryRun { throw ArgumentParser.ExitCode(3) }
    }

    private func origin(at commit: String) throws(ScaffoldRefusal) -> StrataOrigin {
        guard let strata else { return .vendored }
        if RepositoryURL.isMeant(by: strata) { return .url(try RepositoryURL(strata), commit: commit) }
        let path = strata.hasPrefix("/") ? strata : FileManager.default.currentDirectoryPath + "/" + strata
        guard FileManager.default.fileExists(atPath: path + "/Modules/Domain") else {
            throw ScaffoldRefusal("'\(strata.printable)' is no checkout of Strata; it has no 'Modules/Domain'.")
        }
        return .path(path)
    }

    private func repository(at folder: String, _ tree: TemplateTree) throws(ScaffoldRefusal) {
        let git = Git(folder)
        _ = try git.lines(["init", "--quiet"])
        _ = try git.lines(["add", "--all"])
        let message = "Start from Strata \(tree.commit.prefix(12))"
        if try git(["commit", "--quiet", "--message", message]).status != 0 {
            StandardError.write(
                "new-service: git has no name to commit under; everything is staged, commit when 'git config user.email' is set.\n"
            )
        }
    }

    private func report(_ service: NewService, _ tree: TemplateTree) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.keyEncodingStrategy = .convertToSnakeCase
            let document = Document(
                service: service.spec.name, folder: service.folder, commit: tree.commit, isDryRun: dryRun,
                files: service.paths)
            print(String(decoding: try encoder.encode(document), as: UTF8.self))
            return
        }
        if dryRun { for path in service.paths { print("create \(path)") } }
        let kebab = service.spec.spelling.kebab
        print("\(dryRun ? "Would write" : "Wrote") \(service.paths.count) files to '\(service.folder)'.")
        if tree.isModified {
            StandardError.write(
                "new-service: the template has changes that are in no commit; update-from-template cannot make this service again.\n"
            )
        }
        guard !dryRun else { return }
        if case .url(let url, let commit) = service.spec.strata {
            print("Strata comes from '\(url.text)' at \(commit.prefix(12)); that commit has to be there.")
        }
        print(
            "Next: cd '\(service.folder)', Scripts/test, then Scripts/run-server; '\(kebab) --help' is the command line."
        )
        print("Undo: remove the folder.")
    }

    private struct Document: Encodable {
        let service: String
        let folder: String
        let commit: String
        let isDryRun: Bool
        let files: [String]
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
}

enum StandardError {
    /// Text for people on standard error.
    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
