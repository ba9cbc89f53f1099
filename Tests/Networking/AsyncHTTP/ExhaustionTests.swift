import NIOCore
import StrataDomain
import Testing

@testable import StrataAsyncHTTP
@testable import StrataNetworking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct ExhaustionTests {
    @Test(arguments: [EMFILE, ENFILE])
    func `a machine without free files blames no origin`(code: CInt) {
        let error = NetworkError(transport: IOError(errnoCode: code, reason: "socket"))
        #expect(error.kindText.hasPrefix("storage"))
        #expect(error.description.contains("too many files are open"))
        #expect(CircuitBreakerInterceptor.outcome(of: error, status: nil) == .neutral)
    }

    @Test func `another failure to connect is still the origin's`() {
        let error = NetworkError(transport: IOError(errnoCode: ECONNREFUSED, reason: "connect"))
        #expect(error.kindText.hasPrefix("offline"))
        #expect(CircuitBreakerInterceptor.outcome(of: error, status: nil) == .failure)
    }
}
