public import FoundationEssentials

/// A value that is written as no, one or several texts: a single value, an optional, or an array.
public protocol MultipleParameter: Sendable, Codable {
    var parameters: [String] { get }
    static func read(_ texts: [String], place: EndpointError.Place, key: String) throws(EndpointError) -> Self
}

extension MultipleParameter where Self: ParameterValue {
    public var parameters: [String] { [parameter] }

    public static func read(
        _ texts: [String], place: EndpointError.Place, key: String
    ) throws(EndpointError) -> Self {
        guard let text = texts.first else {
            throw EndpointError(.missing, in: place, key: key, expected: parameterKind)
        }
        guard texts.count == 1 else {
            throw EndpointError(.malformed, in: place, key: key, expected: "sent once")
        }
        return try parse(text, place: place, key: key)
    }

    fileprivate static func parse(
        _ text: String, place: EndpointError.Place, key: String
    ) throws(EndpointError) -> Self {
        guard let value = Self(parameter: text) else {
            throw EndpointError(.malformed, in: place, key: key, expected: parameterKind)
        }
        return value
    }
}

extension Optional: MultipleParameter where Wrapped: ParameterValue & MultipleParameter {
    public var parameters: [String] { map { [$0.parameter] } ?? [] }

    public static func read(
        _ texts: [String], place: EndpointError.Place, key: String
    ) throws(EndpointError) -> Self {
        texts.isEmpty ? nil : try Wrapped.read(texts, place: place, key: key)
    }
}

extension Array: MultipleParameter where Element: ParameterValue & MultipleParameter {
    public var parameters: [String] { map(\.parameter) }

    public static func read(
        _ texts: [String], place: EndpointError.Place, key: String
    ) throws(EndpointError) -> Self {
        var values: Self = []
        for text in texts { values.append(try Element.parse(text, place: place, key: key)) }
        return values
    }
}

extension String: MultipleParameter {}
extension Int: MultipleParameter {}
extension Bool: MultipleParameter {}
extension Date: MultipleParameter {}
