public import FoundationEssentials

extension JSONForm {
    /// How dates are written, in JSON, in forms and in query items.
    public struct Dates: Sendable {
        private enum Kind: Sendable {
            case rfc3339
            case number(perSecond: Double)
            case pattern(DatePattern)
            case converted(encode: @Sendable (Date) -> JSONValue, decode: @Sendable (JSONValue) -> Date?)
        }

        private let kind: Kind

        /// Written as RFC 3339 in UTC with milliseconds. Read with these deviations too: a date alone (midnight UTC), no zone
        /// (UTC), an offset `+0100` or `+01`, a space in place of `T` or before the offset.
        public static let rfc3339 = Dates(kind: .rfc3339)
        /// A number; with a fraction where the date has one.
        public static let secondsSince1970 = Dates(kind: .number(perSecond: 1))
        /// A whole number when written; a fraction is read too.
        public static let millisecondsSince1970 = Dates(kind: .number(perSecond: 1000))

        /// Text of a pattern, in UTC unless the pattern has an offset: `"dd.MM.yyyy HH:mm"`.
        ///
        /// `yyyy`, `MM` `M` `MMM` (Nov), `dd` `d`, `EEE` (Sat), `HH` `H`, `hh` `h` with `a` (PM), `mm`, `ss`, `S…`,
        /// `Z` (+0100), `XXX` (+01:00 or Z), text in `'`. Names are English. A date with another letter is an error which names
        /// the letter, when the first date is written or read.
        public static func pattern(_ pattern: String) -> Dates { Dates(kind: .pattern(DatePattern(pattern))) }

        /// By functions; `decode` returns `nil` for a value that is no date.
        public static func converted(
            encode: @escaping @Sendable (Date) -> JSONValue, decode: @escaping @Sendable (JSONValue) -> Date?
        ) -> Dates { Dates(kind: .converted(encode: encode, decode: decode)) }

        /// `date` as the text of a query item; `nil` where `fault(of:)` says why there is none.
        func parameter(of date: Date) -> String? {
            switch try? value(of: date) {
            case .string(let text): text
            case .integer(let number): number.parameter
            case .number(let number): number.isFinite ? number.parameter : nil
            default: nil
            }
        }

        /// What must be written in place of `date`; `nil` where it can be sent.
        func fault(of date: Date) -> String? { parameter(of: date) == nil ? expectation : nil }

        /// The expected value in an error message.
        var expectation: String {
            switch kind {
            case .rfc3339: "an RFC 3339 time"
            case .number(1): "a time as a number of seconds since 1970"
            case .number: "a time as a number of milliseconds since 1970"
            case .pattern(let pattern): pattern.fault ?? "a time as '\(pattern.text)'"
            case .converted: "a time that the form's function reads"
            }
        }

        /// - Throws: For a pattern that is none. A date that is not finite is no JSON number, which the encoder refuses.
        func value(of date: Date) throws -> JSONValue {
            switch kind {
            case .rfc3339: return .string(RFC3339.string(from: date))
            case .number(let perSecond):
                let number = date.timeIntervalSince1970 * perSecond
                // Milliseconds are whole: the product has the error of the binary fraction.
                let written = perSecond == 1 ? number : number.rounded()
                return Int(exactly: written).map { .integer($0) } ?? .number(written)
            case .pattern(let pattern):
                if let fault = pattern.fault {
                    throw EncodingError.invalidValue(date, .init(codingPath: [], debugDescription: fault))
                }
                return .string(pattern.string(from: date))
            case .converted(let encode, _): return encode(date)
            }
        }

        /// `nil` for a value that is no date of this form.
        func date(in container: any SingleValueDecodingContainer) -> Date? {
            switch kind {
            case .rfc3339: (try? container.decode(String.self)).flatMap(LenientTime.date(from:))
            case .number(let perSecond):
                (try? container.decode(Double.self)).map { Date(timeIntervalSince1970: $0 / perSecond) }
            case .pattern(let pattern): (try? container.decode(String.self)).flatMap(pattern.date(from:))
            case .converted(_, let decode): (try? container.decode(JSONValue.self)).flatMap(decode)
            }
        }
    }
}

/// Times as servers of others write them.
enum LenientTime {
    /// The time of `text`: RFC 3339, or one of the deviations in `JSONForm.Dates.rfc3339`.
    static func date(from text: String) -> Date? {
        if let date = RFC3339.date(from: text) { return date }
        let bytes = Array(text.utf8.prefix(64))
        guard bytes.count >= 10, bytes.count < 64 else { return nil }
        if bytes.count == 10 { return RFC3339.date(from: text + "T00:00:00Z") }
        // The zone begins behind `yyyy-mm-ddThh:mm:ss` and a fraction. The strict reader checks all that is not completed here.
        let zoneStart =
            bytes.indices.dropFirst(19).first { bytes[$0] != UInt8(ascii: ".") && !isDigit(bytes[$0]) } ?? bytes.count
        guard let zone = zone(bytes[zoneStart...]) else { return nil }
        return RFC3339.date(from: String(decoding: bytes[..<zoneStart], as: UTF8.self) + zone)
    }

    /// The offset in the form of RFC 3339; `nil` for what cannot be one.
    private static func zone(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.isEmpty { return "Z" }
        let zone = bytes.first == UInt8(ascii: " ") ? bytes.dropFirst() : bytes
        let text = String(decoding: zone, as: UTF8.self)
        guard let sign = zone.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            return text == "Z" ? text : nil
        }
        guard zone.dropFirst().allSatisfy(isDigit) else { return text }
        switch zone.count {
        case 3: return text + ":00"
        case 5: return "\(text.prefix(3)):\(text.suffix(2))"
        default: return nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
