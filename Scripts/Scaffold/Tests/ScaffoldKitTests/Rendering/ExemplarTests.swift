import Testing

@testable import ScaffoldKit

/// The feature that others are copied from, and the copies.
@Suite struct ExemplarTests {
    private static let root = #filePath.components(upTo: "/Scripts/Scaffold/")
    private let tree: SourceTree
    private let renderer = ExemplarRenderer()

    init() throws { tree = SourceTree(try LocalFileSystem(root: Self.root)) }

    @Test(arguments: FeatureSpec.Policy.allCases)
    func `written as itself it is itself, byte for byte`(policy: FeatureSpec.Policy) throws {
        let rendered = try renderer.render(Exemplar.spec(policy), from: tree)
        #expect(rendered.files.count > 25)
        for (path, text) in rendered.files { #expect(try tree.text(path) == text, "\(path)") }
    }
}

extension String {
    /// What stands before `mark`.
    func components(upTo mark: String) -> String {
        guard let range = firstRange(of: mark) else { return self }
        return String(self[..<range.lowerBound])
    }
}
