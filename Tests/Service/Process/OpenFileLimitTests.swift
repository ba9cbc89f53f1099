import StrataDomain
import StrataSystem
import Testing

@testable import StrataService

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct OpenFileLimitTests {
    @Test(arguments: [
        (4096, 65_536, 4096), (4096, 1024, 768), (4096, 4096, 3072), (10, 1024, 10), (4096, 100, 75), (4096, 1, 1),
        (4096, 0, 1), (65_536, 65_536, 64_512),
    ])
    func `connections leave files to everything else`(wanted: Int, limit: Int, expected: Int) {
        #expect(OpenFileLimit.connections(wanted, within: limit) == expected)
    }

    @Test func `the soft limit is raised to the hard limit`() {
        let limit = OpenFileLimit.raised()
        #expect(limit > 3)
        #expect(OpenFileLimit.raised() == limit)
    }
}

struct BlobErrorAnswerTests {
    @Test(arguments: [
        ("open", EMFILE, 503), ("open", ENFILE, 503), ("open", ENOENT, 500), ("read", EIO, 500),
        ("create", EMFILE, 503),
        ("write", ENOSPC, 507), ("move", EDQUOT, 507), ("write", EFBIG, 507),
    ])
    func `a file that cannot be used has a status that says whether to come back`(
        action: String, code: CInt, status: Int
    ) {
        #expect(ServiceError(mapping: BlobError(action, "x", Errno(rawValue: code))).problem.status == status)
    }
}
