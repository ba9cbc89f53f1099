/// A value that is written as no, one or several texts: a single value, an optional, or an array.
///
/// Types of your own conform to `ParameterValue`, which brings this.
public protocol MultipleParameter: Sendable, Codable {
    /// The texts that are sent, each as an item of its own; empty for none.
    var parameters: [String] { get }
    /// What the value must be, where it cannot be sent: `a finite number`. Default: `nil`.
    var parameterFault: String? { get }
    /// Reads the texts that `parameters` made; `place` and `key` are for the error.
    static func read(_ texts: [String], place: EndpointError.Place, key: String) throws(EndpointError) -> Self
}

extension MultipleParameter {
    public var parameterFault: String? { nil }

    func checkParameter(in place: EndpointError.Place, key: String) throws(EndpointError) {
        if let fault = parameterFault { throw EndpointError(.malformed, in: place, key: key, expected: fault) }
    }
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

extension Optional: MultipleParameter where Wrapped: ParameterValue {
    public var parameters: [String] { map { [$0.parameter] } ?? [] }
    public var parameterFault: String? { flatMap(\.parameterFault) }

    public static func read(
        _ texts: [String], place: EndpointError.Place, key: String
    ) throws(EndpointError) -> Self {
        texts.isEmpty ? nil : try Wrapped.read(texts, place: place, key: key)
    }
}

extension Array: MultipleParameter where Element: ParameterValue {
    public var parameters: [String] { map(\.parameter) }
    public var parameterFault: String? { lazy.compactMap(\.parameterFault).first }

    public static func read(
        _ texts: [String], place: EndpointError.Place, key: String
    ) throws(EndpointError) -> Self {
        var values: Self = []
        for text in texts { values.append(try Element.parse(text, place: place, key: key)) }
        return values
    }
}
