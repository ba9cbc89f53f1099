import StrataDomain
import Testing

@testable import StrataTerminal

struct QuantityTextTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func `a count separates the thousands`(number: Int, text: String) { #expect(QuantityText.count(number) == text) }

    @Test(arguments: [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), (1204, "1,204 entries"), (-1, "-1 entries")])
    func `one has the singular and every other count the plural`(number: Int, text: String) {
        #expect(QuantityText.count(number, "entry", plural: "entries") == text)
        #expect(
            QuantityText.count(number, "row") == text.replacing("entries", with: "rows").replacing("entry", with: "row")
        )
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (99_950, "99.9 kB"), (100_000, "100 kB"), (999_999, "999 kB"),
            (1_000_000, "1.0 MB"), (98_631_680, "98.6 MB"), (209_715_200, "209 MB"), (4_700_000_000, "4.7 GB"),
            (.max, "9223372 TB"),
        ] as [(Int64, String)])
    func `bytes have a unit and three digits`(bytes: Int64, text: String) { #expect(QuantityText.bytes(bytes) == text) }

    @Test(
        arguments: [
            (.milliseconds(1), "1 s"), (.seconds(59), "59 s"), (.seconds(125), "2 min 5 s"),
            (.seconds(12_000), "3 h 20 min"),
            (.seconds(-5), "0 s"),
        ] as [(Duration, String)])
    func `a duration is rounded up to a second`(duration: Duration, text: String) {
        #expect(QuantityText.duration(duration) == text)
    }

    private func detail(_ bytes: Int64, of total: Int64?, resumedFrom: Int64 = 0, after time: Duration) -> String {
        TransferBar.detail(TransferCount(bytes: bytes, total: total, resumedFrom: resumedFrom), after: time)
    }

    @Test func `a transfer has a rate and a remaining time after one second`() {
        #expect(detail(50, of: 200, after: .milliseconds(999)) == "50 B of 200 B")
        #expect(detail(98_600_000, of: 209_000_000, after: .seconds(8)) == "98.6 MB of 209 MB  12.3 MB/s  9 s left")
        #expect(detail(5000, of: nil, after: .seconds(2)) == "5.0 kB  2.5 kB/s")
        #expect(detail(200, of: 200, after: .seconds(2)) == "200 B of 200 B  100 B/s")
    }

    @Test func `bytes of an earlier run do not count for the rate`() {
        #expect(
            detail(1_001_000, of: 1_003_000, resumedFrom: 1_000_000, after: .seconds(1)).hasSuffix("1.0 kB/s  2 s left")
        )
        #expect(detail(1_000_000, of: 2_000_000, resumedFrom: 1_000_000, after: .seconds(5)) == "1.0 MB of 2.0 MB")
    }

    @Test func `any announced size can be printed`() {
        #expect(detail(1, of: .max, after: .seconds(86_400)).contains(" left"))
        #expect(detail(.max, of: .max, after: .seconds(1)).hasSuffix("/s"))
    }
}
