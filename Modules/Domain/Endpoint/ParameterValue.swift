public import FoundationEssentials

/// A value that travels as text in a path, a query or a header field.
///
/// An enumeration of texts or integers only states it: `enum Level: String, ParameterValue { case low, high }`.
///
/// An implementation must read exactly what it writes: `Value(parameter: value.parameter) == value`.
public protocol ParameterValue: MultipleParameter {
    /// The expected value in an error message, such as `an integer`.
    static var parameterKind: String { get }
    /// The text that is sent, not escaped.
    var parameter: String { get }
    /// - Returns: `nil` for text that is not such a value.
    init?(parameter: String)
}

extension String: ParameterValue {
    public static var parameterKind: String { "text" }
    public var parameter: String { self }
    public init?(parameter: String) { self = parameter }
}

extension ParameterValue where Self: FixedWidthInteger {
    public static var parameterKind: String { "an integer" }
    public var parameter: String { String(self) }
    public init?(parameter: String) { self.init(parameter) }
}

extension Int: ParameterValue {}
extension Int32: ParameterValue {}
extension Int64: ParameterValue {}
extension UInt: ParameterValue {}
extension UInt32: ParameterValue {}
extension UInt64: ParameterValue {}

/// NaN and infinity are refused. A whole number is written without a fraction: `52`.
extension ParameterValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
    public static var parameterKind: String { "a finite number" }
    public var parameter: String { description.hasSuffix(".0") ? String(description.dropLast(2)) : description }
    public var parameterFault: String? { isFinite ? nil : Self.parameterKind }
    public init?(parameter: String) {
        guard parameter.isDecimalNumber, let number = Self(parameter), number.isFinite else { return nil }
        self = number
    }
}

extension Double: ParameterValue {}
extension Float: ParameterValue {}

/// Exact: a text with more than 38 digits is refused, and so is NaN.
extension Decimal: ParameterValue {
    public static var parameterKind: String { "a finite number" }
    public var parameter: String { description }
    public var parameterFault: String? { isNaN ? Self.parameterKind : nil }
    public init?(parameter: String) {
        // `Decimal` takes the beginning of a text that is no number.
        guard parameter.isDecimalNumber, parameter.significantDigits <= 38, Double(parameter) != nil,
            let number = Decimal(string: parameter),
            !number.isNaN
        else { return nil }
        self = number
    }
}

extension String {
    /// Not one of the hexadecimal and named numbers that Swift reads too.
    fileprivate var isDecimalNumber: Bool { utf8.allSatisfy("0123456789+-.eE".utf8.contains) }

    /// Of a decimal number: digits from the first that is not zero to the exponent.
    fileprivate var significantDigits: Int {
        prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }.count
    }
}

extension Bool: ParameterValue {
    public static var parameterKind: String { "'true' or 'false'" }
    public var parameter: String { self ? "true" : "false" }
    public init?(parameter: String) {
        switch parameter {
        case "true": self = true
        case "false": self = false
        default: return nil
        }
    }
}

/// Written in lower case (RFC 9562, section 4); read in any case.
extension UUID: ParameterValue {
    public static var parameterKind: String { "a UUID" }
    public var parameter: String { text }
    public init?(parameter: String) { self.init(uuidString: parameter) }
}

/// Written as the dates of the JSON form, so as RFC 3339 by default; read as RFC 3339.
extension Date: ParameterValue {
    public static var parameterKind: String { "an RFC 3339 time" }
    public var parameter: String { JSONForm.current?.dates.parameter(of: self) ?? RFC3339.string(from: self) }
    public var parameterFault: String? { JSONForm.current?.dates.fault(of: self) }
    public init?(parameter: String) {
        guard let date = RFC3339.date(from: parameter) else { return nil }
        self = date
    }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
    public static var parameterKind: String { "a value of \(Self.self)" }
    public var parameter: String { rawValue.parameter }
    public init?(parameter: String) {
        guard let raw = RawValue(parameter: parameter) else { return nil }
        self.init(rawValue: raw)
    }
}

extension ParameterValue where Self: RawRepresentable & CaseIterable, RawValue: ParameterValue {
    public static var parameterKind: String { "one of \(allCases.map(\.rawValue.parameter).joined(separator: ", "))" }
}
