import ScaffoldKit
import Testing

struct ArgumentsTests {
    private let form = Arguments.Form("new-feature", names: ["NAME"], options: ["fields"], flags: ["dry-run"])

    @Test func `options have their value behind a space or an equals sign`() throws {
        for words in [["Note", "--fields", "a:text", "--dry-run"], ["--dry-run", "--fields=a:text", "Note"]] {
            let arguments = try Arguments(words, form)
            #expect(arguments.names == ["Note"] && arguments["fields"] == "a:text" && arguments.has("dry-run"))
        }
        #expect(try Arguments(["Note", "--fields=--x"], form)["fields"] == "--x")
    }

    @Test(
        arguments: [
            ([], "needs NAME"), (["a", "b"], "'b' is one argument too many"),
            (["a", "--feilds", "x"], "'--feilds' is no option"),
            (["a", "--fields"], "has no value"), (["a", "--fields", "--dry-run"], "has no value"),
            (["a", "--dry-run=yes"], "no option"), (["a", "--dry-run", "--dry-run"], "twice"),
            (["a", "--fields", "x", "--fields=y"], "twice"), (["a", "--\u{1B}[2J"], "no option"),
        ] as [([String], String)])
    func `other arguments are refused with a reason and the help`(words: [String], reason: String) {
        let error = #expect(throws: ScaffoldRefusal.self) { try Arguments(words, form) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.hasSuffix("'Scripts/new-feature --help' shows what there is.") == true)
        #expect(error?.exitCode == .usage)
    }
}
