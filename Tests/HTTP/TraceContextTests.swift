import StrataHTTP
import Testing

struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test func `a trace context is written as it was read`() {
        for flags in ["00", "01"] {
            let field = "00-\(Self.trace)-\(Self.parent)-\(flags)"
            #expect(TraceContext(traceparent: field)?.traceparent == field)
        }
    }

    @Test(arguments: [
        ("00-\(trace)-\(parent)-01", true), ("00-\(trace)-\(parent)-00", false), ("00-\(trace)-\(parent)-ff", true),
        ("00-\(trace)-\(parent)-02", false), ("01-\(trace)-\(parent)-01", true),
        ("cc-\(trace)-\(parent)-01-what", true),
        ("cc-\(trace)-\(parent)-00-", false), ("fe-\(trace)-\(parent)-01-a-b-c", true),
    ])
    func `the known part of a later version is read`(field: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: field))
        #expect(context.traceId == Self.trace)
        #expect(context.parentId == Self.parent)
        #expect(context.isSampled == isSampled)
    }

    @Test(arguments: [
        "", "-", "00", "00-\(trace)", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-", "00-\(trace)-\(parent)-1",
        "00-\(trace)-\(parent)-011", "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-01-extra",
        "ff-\(trace)-\(parent)-01", "0-\(trace)-\(parent)-01", "000-\(trace)-\(parent)-01",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-\(parent)-01", "00-\(trace)-00F067AA0BA902B7-01",
        "00-\(trace)-\(parent)-0G", "00-\(trace)-\(parent)-0A", "0G-\(trace)-\(parent)-01", "CC-\(trace)-\(parent)-01",
        "00-\(trace)0-\(parent)-01", "00-\(trace.dropLast())-\(parent)-01", "00-\(trace)-\(parent)0-01",
        " 00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01 ", "00_\(trace)_\(parent)_01",
        "00-\(trace)-\(parent)-01\n", "cc-\(trace)-\(parent)-01.what",
        "00-4bf92f3577b34da6a3ce929d0e0e473é-\(parent)-01",
        "00--\(parent)-01", "00-\(trace)--01", "00-\(trace)-\(parent)-+1",
    ])
    func `a malformed field is not a trace context`(field: String) {
        #expect(TraceContext(traceparent: field) == nil)
    }
}
