import FoundationEssentials
import StrataDomain
import StrataService

// A small feature with every kind of endpoint: notes that pilots leave about tides.

struct NoteDraft: Codable, Sendable, Hashable {
    var text: String
    var level: Int
    var seenAt: Date?
}

struct NotePayload: Codable, Sendable, Hashable, EntityTagged {
    var id: String
    var text: String
    var level: Int
    var version: Int
    var entityTag: EntityTag { EntityTag(version: version) }
}

struct ListNotes: RoutedEndpoint {
    static let route = Route.get("/v1/notes")
    typealias Response = CursorPage<NotePayload>
    @Query var cursor: String?
    @Query var limit: Int?
    @Query var level: [Int]
    @Query var urgent: Bool?
    @Query var since: Date?
}

struct CreateNote: RoutedEndpoint {
    static let route = Route.post("/v1/notes")
    static let successStatus = 201
    typealias Response = NotePayload
    @Body var draft: NoteDraft
}

struct ShowNote: RoutedEndpoint {
    static let route = Route.get("/v1/notes/{id}")
    typealias Response = NotePayload
    @Path var id: String
}

struct UpdateNote: RoutedEndpoint {
    static let route = Route.put("/v1/notes/{id}")
    typealias Response = NotePayload
    @Path var id: String
    @Header var ifMatch: IfMatch
    @Body var draft: NoteDraft
}

struct DeleteNote: RoutedEndpoint {
    static let route = Route.delete("/v1/notes/{id}")
    typealias Response = NoContent
    @Path var id: String
}

struct ShowStation: RoutedEndpoint {
    static let route = Route.get("/v1/stations/{number}")
    typealias Response = EchoPayload
    @Path var number: Int
}

struct CreateKey: RoutedEndpoint {
    static let route = Route.post("/v1/keys")
    typealias Response = KeyPayload
}

struct KeyPayload: Codable, Sendable, Hashable, NoStore {
    var key: String
}

struct SendForm: RoutedEndpoint {
    static let route = Route.post("/v1/forms")
    typealias Response = EchoPayload
    @Body var form: SampleForm
}

struct SampleForm: FormBody, Hashable {
    var grantType: String
    var token: String?
}

struct Anything: RoutedEndpoint {
    static let route = Route.post("/v1/anything")
    typealias Response = JSONValue
    @Body var value: JSONValue
}

struct EchoPayload: Codable, Sendable, Hashable {
    var text: String
}

struct OpenDoor: RoutedEndpoint {
    static let route = Route.get("/open")
    typealias Response = EchoPayload
}

struct AdminDoor: RoutedEndpoint {
    static let route = Route.get("/v1/admin")
    typealias Response = EchoPayload
}

/// Fails in the way its path says.
struct Fail: RoutedEndpoint {
    static let route = Route.get("/v1/fail/{how}")
    typealias Response = EchoPayload
    @Path var how: String
}

/// Responds when the test opens the gate.
struct Hold: RoutedEndpoint {
    static let route = Route.post("/v1/hold")
    typealias Response = EchoPayload
}

/// A page with the status of its path.
struct ShowPage: RoutedEndpoint {
    static let route = Route.get("/page/{status}")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(statuses: [400: "A page.", 418: "Another page."])
    @Path var status: Int
}
