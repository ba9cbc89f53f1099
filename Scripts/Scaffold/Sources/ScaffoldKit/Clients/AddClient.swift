/// Plans a new client of an API that is not ours.
package struct AddClient: Sendable {
    /// The arguments, as they were typed.
    package struct Request: Sendable, Hashable {
        package var name: String
        package var baseURL: String
        package var auth: ClientAuth

        package init(name: String, baseURL: String, auth: ClientAuth = .key) {
            (self.name, self.baseURL, self.auth) = (name, baseURL, auth)
        }
    }

    package let spec: ClientSpec
    /// Empty when the client is there already, as it is asked for.
    package let plan: Plan

    /// - Parameters:
    ///   - tree: The repository that gets the client.
    ///   - strata: The tree of Strata, which has the example.
    /// - Throws: A refusal; nothing was written.
    package init(
        _ request: Request, to tree: SourceTree, from strata: SourceTree, formatter: any SourceFormatter = SwiftFormat()
    ) throws(ScaffoldRefusal) {
        let name = try ClientNames.read(request.name)
        spec = ClientSpec(name: name, address: try BaseURL(request.baseURL), auth: request.auth)
        let isThere = try spec.isThere(
            in: tree, next: "Remove the client first with 'Scripts/remove-client \(spec.module)'")
        let isExample = try Self.isExample(spec, in: tree)
        if isThere || isExample {
            plan = try Plan([], in: tree)
            return
        }
        try ClientNames.checkFree(spec.module, in: tree, strata: strata)
        try TakenTypes(strata: strata, tree: tree).check(client: spec.module)
        let files = try ClientTemplate(strata: strata, formatter: formatter).render(
            spec, rules: tree.text(".swift-format"))
        plan = try Plan(
            ScaffoldRecord.additions(spec, files: files, regionLines: [.row(of: spec)]), in: tree)
    }

    /// Whether it would be what Strata has, to be copied.
    private static func isExample(_ spec: ClientSpec, in tree: SourceTree) throws(ScaffoldRefusal) -> Bool {
        guard try spec == ClientTemplate.example() else { return false }
        return try tree.kind(of: spec.folders()[0]) == .folder
    }
}
