import StrataSystem
import Testing

@Suite("Open file limit", .serialized) struct OpenFileLimitTests {
    @Test func `a low soft limit is raised, and a higher one stays`() throws {
        let before = try #require(OpenFileLimit.current)
        let raised = try #require(OpenFileLimit.raise(to: before))
        #expect(raised == before)
        #expect(OpenFileLimit.raise(to: 1) == before)
    }

    @Test func `an open descriptor is distinguished from a closed one`() throws {
        let file = try openFile("/dev/null", O_RDONLY)
        #expect(file.isOpen)
        #expect(!FileDescriptor(rawValue: 100_000).isOpen)
        file.release()
    }
}
