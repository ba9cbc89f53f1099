import StrataSystem
import Testing

struct DurationTests {
    @Test func `a duration is converted to seconds and nanoseconds`() {
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
        #expect(Duration.milliseconds(-1500).inNanoseconds == -1_500_000_000)
        #expect(Duration.seconds(Int64.max).inNanoseconds == .max)
        #expect(Duration.seconds(-Int64.max).inNanoseconds == .min)
    }
}
