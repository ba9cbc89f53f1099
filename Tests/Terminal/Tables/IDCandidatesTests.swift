import ArgumentParser
import Foundation
import Testing

@testable import StrataTerminal

struct IDCandidatesTests {
    private let two = [
        IDCandidate(id: "a:1", title: "it's $(touch x) /etc\nand more"), IDCandidate(id: "a:2", title: ""),
    ]

    @Test func `zsh and fish get a title beside each id`() {
        #expect(IDCandidates.lines(two, for: .zsh) == [#"a\:1:it's $(touch x) /etc\nand more"#, "a:2"])
        #expect(IDCandidates.lines(two, for: .fish) == ["a:1\tit's $(touch x) /etc\\nand more", "a:2"])
    }

    @Test func `bash gets the id alone where it would be inserted`() {
        #expect(IDCandidates.lines(Array(two.prefix(1)), for: .bash) == ["a:1"])
        #expect(IDCandidates.lines(two, for: nil) == ["a:1", "a:2"])
    }

    /// 9 and 63 are the types of a completion that lists, 37 and 42 those of one that inserts (bash(1), `COMP_TYPE`).
    @Test(arguments: [(9, true), (63, true), (37, false), (42, false)])
    func `bash shows titles where candidates are listed, and evaluates none`(type: Int, isTitled: Bool) throws {
        let lines = IDCandidates.lines(two, for: .bash).joined(separator: "\n")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
            "--norc", "-c", #"COMP_TYPE=$1; IFS=$'\n' compgen -W "$2" -- a"#, "bash", "\(type)", lines,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == (isTitled ? "a:1  -- it's $(touch x) \u{2215}etc\\nand more\na:2\n" : "a:1\na:2\n"))
    }
}
