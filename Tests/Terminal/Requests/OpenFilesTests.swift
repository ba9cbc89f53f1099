import Testing

@testable import StrataTerminal

struct OpenFilesTests {
    @Test(arguments: [(1, 0), (1, 20), (480, 1024), (96, 256)])
    func `calls that fit are allowed`(calls: Int, files: Int) throws {
        try OpenFiles.check(calls: calls, files: files)
    }

    @Test(arguments: [(500, 256, "--concurrency 96"), (481, 1024, "--concurrency 480"), (2, 0, "--concurrency 1")])
    func `too many calls are refused with the number that fits`(calls: Int, files: Int, advice: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try OpenFiles.check(calls: calls, files: files) }
        #expect(failure.status == .usage)
        #expect(failure.message?.contains(advice) == true)
    }
}
