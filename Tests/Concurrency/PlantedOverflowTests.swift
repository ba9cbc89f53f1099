import Foundation
import Testing

/// A read behind the end of a buffer that AddressSanitizer must report: `Scripts/test --address-sanitizer` runs it first.
struct PlantedOverflowTests {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["STRATA_PLANTED_FAULT"] == "1", "is asked for by a script"))
    func `a byte behind the end of a buffer is read`() {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
        bytes.initialize(repeating: 1, count: 8)
        defer { bytes.deallocate() }
        #expect(bytes[8] < 255)
    }
}
