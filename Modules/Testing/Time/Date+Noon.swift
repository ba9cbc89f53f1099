public import FoundationEssentials

extension Date {
    /// 2026-11-21T12:00:00Z.
    public static var noon: Date { Date(timeIntervalSince1970: 1_795_262_400) }
}
