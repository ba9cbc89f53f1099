public import FoundationEssentials

/// A value that travels as text in a path, a query or a header field.
///
/// An implementation must read exactly what it writes: `Value(parameter: value.parameter) == value`.
public protocol ParameterValue: Sendable, Codable {
    /// The expected value in an error message, such as `an integer`.
    static var parameterKind: String { get }
    var parameter: String { get }
    /// - Returns: `nil` for text that is not such a value.
    init?(parameter: String)
}

extension String: ParameterValue {
    public static var parameterKind: String { "text" }
    public var parameter: String { self }
    public init?(parameter: String) { self = parameter }
}

extension Int: ParameterValue {
    public static var parameterKind: String { "an integer" }
    public var parameter: String { String(self) }
    public init?(parameter: String) { self.init(parameter) }
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

extension Date: ParameterValue {
    public static var parameterKind: String { "an RFC 3339 time" }
    public var parameter: String { RFC3339.string(from: self) }
    public init?(parameter: String) {
        guard let date = RFC3339.date(from: parameter) else { return nil }
        self = date
    }
}

extension ParameterValue where Self: RawRepresentable, RawValue == String {
    public var parameter: String { rawValue }
    public init?(parameter: String) { self.init(rawValue: parameter) }
}

extension ParameterValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    public static var parameterKind: String { "one of \(allCases.map(\.rawValue).joined(separator: ", "))" }
}
