import ScaffoldKit

extension Main {
    /// `new-feature`, `add-field`, `remove-feature`, `list-features`, `new-client`, `remove-client`: in the tree `--root`, with the
    /// examples of `--strata`.
    static func features(_ command: String, _ words: some Sequence<String>) throws(ScaffoldRefusal) -> Report {
        let trees = ["root", "strata"]
        let form: Arguments.Form =
            switch command {
            case "new-feature":
                .init(
                    command, names: ["NAME"], options: trees + ["fields", "policy", "owner", "plural"],
                    flags: ["dry-run", "json"])
            case "add-field": .init(command, names: ["FEATURE", "FIELD"], options: trees, flags: ["dry-run", "json"])
            case "remove-feature", "remove-client":
                .init(command, names: ["NAME"], options: trees, flags: ["force", "dry-run", "json"])
            case "new-client":
                .init(command, names: ["NAME"], options: trees + ["base-url", "auth"], flags: ["dry-run", "json"])
            default: .init(command, options: trees, flags: ["json"])
            }
        let arguments = try Arguments(words, form)
        let root = try absolute(arguments["root"] ?? ".")
        let files = try LocalFileSystem(root: root)
        let strata = try LocalFileSystem(root: absolute(arguments["strata"] ?? root))
        let tool = ScaffoldTool(files, strata: SourceTree(strata))
        let isDry = arguments.has("dry-run")
        return try TreeLock.held(root: files.root) { () throws(ScaffoldRefusal) in
            switch command {
            case "new-feature":
                let request = AddFeature.Request(
                    name: arguments.names[0], plural: arguments["plural"],
                    fields: arguments["fields"] ?? "title:string(1..200)",
                    policy: try arguments.choice("policy", or: .cached),
                    ownership: try arguments.choice("owner", or: .everyone))
                return try tool.add(request, isDry: isDry)
            case "add-field": return try tool.addField(arguments.names[1], to: arguments.names[0], isDry: isDry)
            case "remove-feature":
                return try tool.remove(arguments.names[0], isForced: arguments.has("force"), isDry: isDry)
            case "new-client":
                guard let baseURL = arguments["base-url"] else {
                    throw ScaffoldRefusal(
                        "'new-client' needs --base-url URL, such as https://api.example.com/v1.", .usage)
                }
                let request = AddClient.Request(
                    name: arguments.names[0], baseURL: baseURL, auth: try arguments.choice("auth", or: .key))
                return try tool.addClient(request, isDry: isDry)
            case "remove-client":
                return try tool.removeClient(arguments.names[0], isForced: arguments.has("force"), isDry: isDry)
            default: return try tool.list()
            }
        }
    }
}
