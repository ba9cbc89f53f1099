import StrataTerminal
import Testing

struct LogStreamTests {
    @Test func `an event is one line without control characters`() {
        let sink = MemorySink()
        var stream = LogStream(sink)
        stream.write("info shiftlog: reason=\u{1B}]52;c;aGk=\u{7} \u{9B}2J \u{202E}txt\r\nforged [x] said\n")
        stream.write("second")
        #expect(
            sink.text == #"info shiftlog: reason=\x1B]52;c;aGk=\x07 \x9B2J \u{202E}txt\r\nforged [x] said"#
                + "\nsecond\n")
    }
}
