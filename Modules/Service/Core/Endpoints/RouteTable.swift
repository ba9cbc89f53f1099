public import StrataDomain

/// Finds the entries of a path. Literal segments win over `{name}` segments.
struct RouteTable<Value> {
    private var root = Node()

    struct Match {
        /// By method; never empty.
        var values: [StrataDomain.HTTPMethod: Entry]
        fileprivate var captured: [String]

        /// The decoded `{name}` segments of `entry`.
        func parameters(of entry: Entry) -> [String: String] {
            Dictionary(zip(entry.parameterNames, captured)) { first, _ in first }
        }
    }

    struct Entry {
        var template: String
        var parameterNames: [String]
        var value: Value
    }

    fileprivate struct Node {
        var literals: [String: Node] = [:]
        /// The child of a `{name}` segment; an array because a struct cannot contain itself.
        var parameter: [Node] = []
        var entries: [StrataDomain.HTTPMethod: Entry] = [:]

        mutating func insert(_ segments: ArraySlice<Substring>, _ method: StrataDomain.HTTPMethod, _ entry: Entry)
            -> Bool
        {
            guard let segment = segments.first else { return entries.updateValue(entry, forKey: method) == nil }
            let rest = segments.dropFirst()
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
                return literals[String(segment), default: Node()].insert(rest, method, entry)
            }
            if parameter.isEmpty { parameter = [Node()] }
            return parameter[0].insert(rest, method, entry)
        }

        var routes: [Route] {
            entries.map { Route($0, $1.template) } + literals.values.flatMap(\.routes) + parameter.flatMap(\.routes)
        }

        func match(_ segments: ArraySlice<String>, _ captured: [String]) -> Match? {
            guard let segment = segments.first else {
                return entries.isEmpty ? nil : Match(values: entries, captured: captured)
            }
            let rest = segments.dropFirst()
            if let found = literals[segment]?.match(rest, captured) { return found }
            guard !segment.isEmpty else { return nil }
            return parameter.first?.match(rest, captured + [segment])
        }
    }

    /// Every route, in no order.
    var routes: [Route] { root.routes }

    /// - Throws: `DuplicateRoute` when the table has an entry for this method and path.
    mutating func insert(_ route: Route, _ value: Value) throws(DuplicateRoute) {
        let entry = Entry(template: route.template, parameterNames: route.parameterNames, value: value)
        let segments = route.template.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard root.insert(segments, route.method, entry) else { throw DuplicateRoute(route: route) }
    }

    /// - Parameter segments: The decoded segments of the path, empty ones included.
    func match(_ segments: [String]) -> Match? { root.match(segments[...], []) }
}

/// Two endpoints claim one method and path; one of them must move.
public struct DuplicateRoute: Error, Sendable, Hashable, CustomStringConvertible {
    /// The route that two endpoints have.
    public let route: Route
    public var description: String { "Two endpoints answer '\(route)'; give one of them another path." }
}

extension RouteTable: Sendable where Value: Sendable {}
extension RouteTable.Match: Sendable where Value: Sendable {}
extension RouteTable.Entry: Sendable where Value: Sendable {}
extension RouteTable.Node: Sendable where Value: Sendable {}
