/// Numbers as readable text.
public enum QuantityText {
    /// `1,204`.
    public static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = number < 0 ? "-" : ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { result += "," }
            result.append(digit)
        }
        return result
    }

    /// `1 conflict`, `1,204 conflicts`.
    ///
    /// - Parameter plural: Default: the noun with an s.
    static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// `98.6 MB`, in powers of 1000 with three digits; `512 B` below.
    public static func bytes(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var (tenths, unit) = (bytes / 100, 0)
        while tenths >= 10_000, unit < units.count - 1 {
            tenths /= 1000
            unit += 1
        }
        return tenths < 1000 ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(tenths / 10) \(units[unit])"
    }

    private static let units = ["kB", "MB", "GB", "TB"]

    /// `45 s`, `2 min 5 s`, `3 h 20 min`, rounded up to a second.
    static func duration(_ duration: Duration) -> String {
        let seconds = duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0)
        return switch seconds {
        case ..<60: "\(max(0, seconds)) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        }
    }
}
