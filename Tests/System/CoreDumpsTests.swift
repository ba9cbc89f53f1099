import StrataSystem
import Testing

@Suite("Core dumps") struct CoreDumpsTests {
    @Test func `a process that forbids core files has a core limit of zero`() {
        CoreDumps.forbid()

        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #expect(limit.rlim_cur == 0)
        #expect(limit.rlim_max == 0)
    }
}
