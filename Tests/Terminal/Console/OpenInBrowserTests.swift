import Foundation
import StrataTerminal
import StrataTesting
import Testing

/// `--open`, with an `xdg-open` of the test.
@Suite struct OpenInBrowserTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A directory for PATH whose `xdg-open` writes its arguments to a file.
    private func browser() throws -> [String: String] {
        let script =
            "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" >'\(directory.file("part"))'\n"
            + "mv '\(directory.file("part"))' '\(directory.file("arguments"))'\n"
        try Data(script.utf8).write(to: URL(filePath: directory.file("xdg-open")))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.file("xdg-open"))
        return ["PATH": "\(directory.path):/usr/bin:/bin"]
    }

    /// What the browser got: the number of arguments, then each.
    private func arguments() async throws -> [String] {
        var text: String?
        try await eventually("the browser was started") {
            text = try? String(contentsOfFile: directory.file("arguments"), encoding: .utf8)
            return text != nil
        }
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    @Test(arguments: ["report.html", "-x.html", "two words.html", "a'b.html", "$(id).html"])
    func `the browser gets one absolute path`(name: String) async throws {
        try Data().write(to: URL(filePath: directory.file(name)))
        let (console, _, errors) = Console.inMemory()
        await console.openInBrowser(directory.file(name), environment: try browser())
        #expect(try await arguments() == ["1", directory.file(name)])
        #expect(errors.text.isEmpty)
    }

    @Test func `without xdg-open the user is told to open the file`() async throws {
        let (console, output, errors) = Console.inMemory()
        await console.openInBrowser("report.html", environment: ["PATH": directory.path])
        #expect(errors.text.contains("'report.html' is written"))
        #expect(errors.text.contains("open the file in a browser"))
        #expect(output.text.isEmpty)
    }
}
