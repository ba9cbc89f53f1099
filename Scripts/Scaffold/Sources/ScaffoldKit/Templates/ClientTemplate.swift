/// Writes a client by copying the example, `Modules/Clients/Weather`, with another name, address and credential.
package struct ClientTemplate: Sendable {
    private let strata: SourceTree
    private let formatter: any SourceFormatter

    /// - Parameters:
    ///   - strata: The tree of Strata, which has the example.
    ///   - formatter: Sorts imports and breaks long lines.
    package init(strata: SourceTree, formatter: any SourceFormatter = SwiftFormat()) {
        (self.strata, self.formatter) = (strata, formatter)
    }

    /// The answers that would give the example.
    static func example() throws(ScaffoldRefusal) -> ClientSpec {
        ClientSpec(name: Spelling("Weather"), address: try BaseURL("https://weather.example/api"), auth: .key)
    }

    /// - Parameter rules: The text of `.swift-format`.
    /// - Throws: A refusal when the example is missing or the formatter does not run.
    package func render(_ spec: ClientSpec, rules: String) throws(ScaffoldRefusal) -> [RelativePath: String] {
        let example = try Self.example()
        let words = Words(
            [(example.address.description, spec.address.description)]
                + zip(example.auth.texts.all, spec.auth.texts.all).map { ($0, $1) } + [(example.module, spec.module)])
        var files: [RelativePath: String] = [:]
        for path in try strata.example(example.module, of: ClientSpec.self) {
            let place = try RelativePath(path.description.replacing(example.module, with: spec.module))
            files[place] = words.replaced(in: try strata.text(path))
        }
        return try formatter.formatted(files, by: rules)
    }
}
