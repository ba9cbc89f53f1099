import Testing

@testable import ScaffoldKit

struct OnlyBlocksTests {
    private let blocks = OnlyBlocks(present: ["Journal"], absent: ["Runbooks"])

    @Test func `a block of a feature that comes along stays, without its marks`() throws {
        let text = "a\n    // scaffold:only Journal|Runbooks\n    b\n    // scaffold:end-only\nc"
        #expect(try blocks.cut(text, of: "x") == "a\n    b\nc")
    }

    @Test func `a block of a feature that stays behind goes`() throws {
        let text =
            "a\n# scaffold:only Runbooks\nb\n# scaffold:end-only\n<!-- scaffold:only Template -->\nc\n<!-- scaffold:end-only -->"
        #expect(try blocks.cut(text, of: "x") == "a")
    }

    @Test(arguments: [
        ("a\n\n// scaffold:only Runbooks\nb\n// scaffold:end-only\n\nc", "a\n\nc"),
        ("a\n// scaffold:only Runbooks\nb\n// scaffold:end-only\n\nc", "a\n\nc"),
        ("a\n\n// scaffold:only Journal\nb\n// scaffold:end-only\n\nc", "a\n\nb\n\nc"),
    ])
    func `where a block goes one empty line is left of two`(text: String, left: String) throws {
        #expect(try blocks.cut(text, of: "x") == left)
    }

    @Test func `rows and imports of a feature that stays behind go, others of the same letters stay`() throws {
        let text = """
            import RunbooksService
            import RunbooksServiceMore
            // scaffold:begin features
            .journal,
            .runbooks,
            Feature("Runbooks", .cached)
            RunbooksService()
            - [Runbooks](x.md): steps
            // scaffold:end features
            let runbooks = 1
            """
        let left = """
            import RunbooksServiceMore
            // scaffold:begin features
            .journal,
            // scaffold:end features
            let runbooks = 1
            """
        #expect(try blocks.cut(text, of: "x") == left)
    }

    @Test(arguments: [
        "// scaffold:only Journal\na", "a\n// scaffold:end-only",
        "// scaffold:only Journal\n// scaffold:only Journal\n// scaffold:end-only",
    ])
    func `a mark without its counterpart is named with its line`(text: String) {
        let error = #expect(throws: ScaffoldRefusal.self) { try blocks.cut(text, of: "Apps/x.swift") }
        #expect(error?.description.contains("'Apps/x.swift', line ") == true)
    }
}
