import StrataDomain

/// A small API for the tests of this module.
struct TidePayload: Codable, Sendable, Equatable {
    var name: String
    var metres: Double?
}

struct ShowTide: RoutedEndpoint {
    static let route = Route.get("/v1/tides/{name}")
    typealias Response = TidePayload

    @Path var name: String
    @Query var day: String?

    init(name: String = "bar", day: String? = nil) {
        self.name = name
        self.day = day
    }
}

struct AddTide: RoutedEndpoint {
    static let route = Route.post("/v1/tides")
    typealias Response = TidePayload

    @Body var draft: TidePayload

    init(_ draft: TidePayload = TidePayload(name: "bar", metres: 4.2)) { self.draft = draft }
}

struct RemoveTide: RoutedEndpoint {
    static let route = Route.delete("/v1/tides/{name}")
    typealias Response = NoContent

    @Path var name: String

    init(name: String = "bar") { self.name = name }
}

/// Calls stated by hand.
enum HarbourEndpoint: ManualEndpoint {
    typealias Response = TidePayload
    case head
    case raw(path: String, headers: HeaderFields)

    var method: HTTPMethod { if case .head = self { .head } else { .get } }
    var path: String { if case .raw(let path, _) = self { path } else { "/harbour" } }
    var headers: HeaderFields { if case .raw(_, let headers) = self { headers } else { [:] } }
}

let tideJSON = #"{"name":"bar","metres":4.2}"#
let tide = TidePayload(name: "bar", metres: 4.2)

/// Cases of an enum with a response each.
enum PierEndpoint: ManualEndpoint, Equatable {
    case list
    case tide(String)
    case close(String)

    var method: HTTPMethod { if case .close = self { .delete } else { .get } }
    var path: String {
        switch self {
        case .list: "/piers"
        case .tide(let pier), .close(let pier): "/piers/\(pier)"
        }
    }
}
