import Testing

@testable import ScaffoldKit

/// Lists between markers.
@Suite struct MarkedRegionTests {
    private let text = """
        let list = [
            // scaffold:begin features
            "b",
            "d",
            // scaffold:end features
        ]

        """

    private func region(_ text: String, adding line: String = "\"c\",") throws -> MarkedRegion {
        try MarkedRegion("features", in: text, of: "List.swift", adding: line)
    }

    @Test(arguments: ["\"a\",", "\"c\",", "\"e\","])
    func `a line goes to its place, and leaves no trace when it goes`(line: String) throws {
        let added = try region(text).editing(adding: [line])

        #expect(try region(added).lines == ["\"b\",", "\"d\",", line].sorted())
        #expect(added.contains("\n    \(line)\n"))
        #expect(try region(added).editing(adding: [], removing: [line]) == text)
    }

    @Test func `a line that is there is not added again`() throws {
        #expect(try region(text).editing(adding: ["\"b\","]) == text)
    }

    @Test func `the order of additions does not matter`() throws {
        let one = try region(region(text).editing(adding: ["\"a\","])).editing(adding: ["\"c\","])
        let other = try region(region(text).editing(adding: ["\"c\","])).editing(adding: ["\"a\","])

        #expect(one == other)
    }

    @Test(arguments: [
        "# scaffold:begin features\n# scaffold:end features\n",
        "<!-- scaffold:begin features -->\n<!-- scaffold:end features -->\n",
        "  // scaffold:begin features\n  // scaffold:end features",
        "// scaffold:begin features\n\n// scaffold:end features\n",
    ])
    func `an empty list takes a line, whatever its comments look like`(text: String) throws {
        let added = try region(text).editing(adding: ["x"])

        #expect(try region(added).lines == ["x"])
        #expect(try region(added).editing(adding: [], removing: ["x"]) == text)
    }

    @Test(arguments: [
        ("let list = []\n", "scaffold:begin features"),
        ("// scaffold:begin features\n", "scaffold:end features"),
        ("// scaffold:end features\n// scaffold:begin features\n", "wrong order"),
        ("// scaffold:begin features\n// scaffold:begin features\n// scaffold:end features\n", "twice"),
        ("// scaffold:begin features\nb\na\n// scaffold:end features\n", "line 3"),
        ("// scaffold:begin features\na\na\n// scaffold:end features\n", "line 3"),
        ("// scaffold:begin features\na\n\nb\n// scaffold:end features\n", "line 3"),
        ("// scaffold:begin featuresX\n// scaffold:end featuresX\n", "scaffold:begin features"),
        ("let s = \"// scaffold:begin features\"\n// scaffold:end features\n", "scaffold:begin features"),
    ])
    func `a list that was edited is refused, with the line to have there`(text: String, reason: String) {
        let message = refusal { _ = try region(text) }

        #expect(message.contains(reason), "\(message)")
        #expect(message.hasSuffix("The line to have there is: \"c\","), "\(message)")
        #expect(message.contains("'List.swift'"))
    }

    @Test func `a line that was edited is not removed`() throws {
        let message = refusal { _ = try region(text).editing(adding: [], removing: ["\"c\","]) }

        #expect(message.contains("no longer has the line") && message.contains("\"c\","), "\(message)")
    }
}
