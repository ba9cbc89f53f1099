import FoundationEssentials
import StrataConcurrency
import StrataHTTP

/// The value of the `Date` field, made once a second.
final class DateField: Sendable {
    private let last = Mutex((second: Int.min, text: ""))

    func text(at now: Date) -> String {
        let second = Int(now.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate.string(from: now)) }
            return last.text
        }
    }
}
