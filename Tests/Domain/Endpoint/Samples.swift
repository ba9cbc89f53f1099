import FoundationEssentials
import StrataDomain

/// One part of every kind: required, optional, and repeated if its kind allows it.
struct EveryPart: RoutedEndpoint, Equatable {
    static let route = Route.patch("/v1/bars/{bar_id}/levels/{number}")
    typealias Response = NoContent

    @Path var barId: String
    @Path var number: Int
    @Query var text: String
    @Query var count: Int
    @Query var isHigh: Bool
    @Query var since: Date
    @Query var grade: Grade
    @Query var maybeText: String?
    @Query var maybeCount: Int?
    @Query var maybeHigh: Bool?
    @Query var maybeSince: Date?
    @Query var maybeGrade: Grade?
    @Query var tags: [String]
    @Query var numbers: [Int]
    @Header var ifMatch: EntityTag
    @Header var ifNoneMatch: EntityTag?
    @Header var xTides: [Int]
    @Body var draft: Draft

    static func == (left: Self, right: Self) -> Bool {
        guard let one = try? left.request(), let other = try? right.request() else { return false }
        return one == other
    }
}

enum Grade: String, ParameterValue, MultipleParameter, CaseIterable {
    case neap, spring
}

struct Draft: Codable, Sendable, Equatable {
    var title: String
    var metres: Double?
    var measuredAt: Date?
    var labels: [String: String]?
}

struct NoParts: RoutedEndpoint {
    static let route = Route.get("/")
    typealias Response = Draft
}

struct SendForm: RoutedEndpoint {
    static let route = Route.post("/v1/token")
    typealias Response = Draft
    struct Form: FormBody, Equatable {
        var grantType: String
        var refreshToken: String?
    }
    @Body var form: Form
}

/// Requests written by hand, as cases of an enum.
enum UserEndpoint: ManualEndpoint {
    case list(page: Int)
    case create(Draft)
    case broken

    var method: HTTPMethod { if case .list = self { .get } else { .post } }
    var path: String { "/users" }
    var query: QueryItems { if case .list(let page) = self { ["page": String(page)] } else { [:] } }
    func body() throws -> RequestBody? {
        switch self {
        case .list: nil
        case .create(let draft): try .json(draft)
        case .broken: try .json(Double.nan)
        }
    }
}

/// A received request, as a backend's router splits it.
func received<E: RoutedEndpoint>(_ request: EndpointRequest, by type: E.Type) throws -> EndpointParts {
    let template = E.route.template.split(separator: "/")
    let path = request.path.split(separator: "/")
    var parameters: [String: String] = [:]
    for (name, text) in zip(template, path) where name.hasPrefix("{") {
        parameters[String(name.dropFirst().dropLast())] = PercentEncoding.decode(text)
    }
    guard let query = QueryItems(parsing: request.query.encoded) else {
        throw EndpointError(.unreadable, in: .query, key: "query", expected: "what was encoded")
    }
    return EndpointParts(pathParameters: parameters, query: query, headers: request.headers, body: request.body)
}

let everyPart = EveryPart(
    barId: "a/b ü?&+%", number: -7, text: "x+y&z=1 ☂", count: .max, isHigh: true,
    since: Date(timeIntervalSince1970: 1_795_251_600.25), grade: .spring, maybeText: "", maybeCount: 0,
    maybeHigh: false,
    maybeSince: Date(timeIntervalSince1970: 0), maybeGrade: .neap, tags: ["", "a,b", "a", "a"], numbers: [3, 1, 2],
    ifMatch: EntityTag("v1"), ifNoneMatch: EntityTag("v0", isWeak: true), xTides: [1, 2],
    draft: Draft(
        title: "Größe \"1\" \u{0} / \\", metres: 4.25, measuredAt: Date(timeIntervalSince1970: 0.001),
        labels: ["camelKey": "v", "snake_key": "w"]))
