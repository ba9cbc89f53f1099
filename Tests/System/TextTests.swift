import Foundation
import StrataSystem
import Testing

@Suite("Text and durations") struct TextTests {
    @Test func `bytes are two digits each, in lower case`() {
        #expect([0x00, 0x0F, 0xA0, 0xFF].hex == "000fa0ff")
        #expect([UInt8]().hex == "")
    }

    @Test func `a UUID is in lower case`() throws {
        let uuid = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
        #expect(uuid.text == "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
    }

    @Test func `a duration is seconds and nanoseconds`() {
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
        #expect(Duration.milliseconds(-1500).inNanoseconds == -1_500_000_000)
        #expect(Duration.seconds(Int64.max).inNanoseconds == .max)
        #expect(Duration.seconds(-Int64.max).inNanoseconds == .min)
    }
}
