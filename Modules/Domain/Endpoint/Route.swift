/// A method and a path template: `/v1/notes/{id}`.
public struct Route: Sendable, Hashable, CustomStringConvertible {
    /// The method.
    public let method: HTTPMethod
    /// The path, with names of parameters in braces.
    public let template: String

    /// The route of `method` and `template`, such as `/v1/notes/{id}`.
    public init(_ method: HTTPMethod, _ template: String) {
        self.method = method
        self.template = template
    }

    /// A route for GET.
    public static func get(_ template: String) -> Route { Route(.get, template) }
    /// A route for POST.
    public static func post(_ template: String) -> Route { Route(.post, template) }
    /// A route for PUT.
    public static func put(_ template: String) -> Route { Route(.put, template) }
    /// A route for PATCH.
    public static func patch(_ template: String) -> Route { Route(.patch, template) }
    /// A route for DELETE.
    public static func delete(_ template: String) -> Route { Route(.delete, template) }

    public var description: String { "\(method.rawValue) \(template)" }

    /// The names in braces, in order.
    public var parameterNames: [String] { segments.compactMap(Self.parameterName) }

    var segments: [Substring] { template.split(separator: "/") }

    static func parameterName(_ segment: Substring) -> String? {
        segment.hasPrefix("{") && segment.hasSuffix("}") ? String(segment.dropFirst().dropLast()) : nil
    }

    /// The path with each `{name}` replaced by its percent-encoded value; `nil` when one is missing or empty.
    func path(_ parameters: [String: String]) -> String? {
        var path = ""
        for segment in segments {
            path += "/"
            if let name = Self.parameterName(segment) {
                // An empty or dot segment would change which resource the URL names (RFC 3986, section 5.2.4).
                guard let value = parameters[name], !["", ".", ".."].contains(value) else { return nil }
                path += PercentEncoding.encode(value)
            } else {
                path += segment
            }
        }
        return path.isEmpty || template.hasSuffix("/") ? path + "/" : path
    }
}
