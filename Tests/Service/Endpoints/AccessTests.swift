import Foundation
import HTTPTypes
import StrataDomain
import StrataService
import Testing

@Suite struct AccessTests {
    private static let apiKey = HTTPField.Name("X-API-Key")!

    /// Path, credentials, expected status.
    struct Call: Sendable, CustomTestStringConvertible {
        var path: String
        var headers: HTTPFields
        var status: Int
        var challenge: String?
        var testDescription: String { "\(path) \(headers) \(status)" }
    }

    static let calls: [Call] = [
        Call(path: "/v1/notes", headers: [:], status: 401, challenge: "Bearer"),
        Call(path: "/v1/notes", headers: [.authorization: "Basic YTpi"], status: 401, challenge: "Bearer"),
        Call(path: "/v1/notes", headers: [.authorization: "Bearer"], status: 401, challenge: "Bearer"),
        Call(path: "/v1/notes", headers: [.authorization: "Bearer "], status: 401, challenge: "Bearer"),
        Call(
            path: "/v1/notes", headers: [.authorization: "Bearer old"], status: 401,
            challenge: "Bearer error=\"invalid_token\""),
        Call(path: "/v1/notes", headers: [apiKey: "wrong"], status: 401, challenge: "Bearer error=\"invalid_token\""),
        Call(path: "/v1/notes", headers: [.authorization: "bearer anna"], status: 200),
        Call(
            path: "/v1/notes", headers: [.authorization: "Bearer anna", apiKey: "machine-key"], status: 400,
            challenge: "Bearer error=\"invalid_request\""),
        Call(
            path: "/v1/notes", headers: [apiKey: "machine-key"], status: 403,
            challenge: "Bearer error=\"insufficient_scope\""),
        Call(
            path: "/v1/admin", headers: [.authorization: "Bearer anna"], status: 403,
            challenge: "Bearer error=\"insufficient_scope\""),
        Call(path: "/v1/admin", headers: [.authorization: "Bearer root"], status: 200),
        Call(path: "/open", headers: [:], status: 200),
        // Log in again with an expired token still set: the door is open to anyone.
        Call(path: "/open", headers: [.authorization: "Bearer old"], status: 200),
    ]

    @Test(arguments: calls)
    func `credentials decide`(_ call: Call) async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, call.path, as: nil, headers: call.headers)
            #expect(reply.status == call.status)
            #expect(reply.headers[.wwwAuthenticate] == call.challenge)
            if reply.status >= 400 { _ = try reply.problem() }
        }
    }

    @Test func `two Authorization fields are one too many`() async throws {
        try await withService { _, client in
            var headers: HTTPFields = [:]
            headers.append(HTTPField(name: .authorization, value: "Bearer anna"))
            headers.append(HTTPField(name: .authorization, value: "Bearer root"))
            let reply = try await client.send(.get, "/v1/notes", as: nil, headers: headers)
            #expect(reply.status == 400)
        }
    }

    @Test func `a host token opens only the endpoints that accept one`() async throws {
        try await withService { _, client in
            let headers: HTTPFields = [Self.apiKey: "machine-key"]
            let created = try await client.send(
                .post, "/v1/notes", as: nil, headers: headers, json: #"{"text":"from a buoy","level":1}"#)
            #expect(created.status == 201)
            for (method, path) in [
                (HTTPRequest.Method.get, "/v1/notes"), (.get, "/v1/sync/changes"), (.post, "/v1/sync/mutations"),
            ] {
                #expect(try await client.send(method, path, as: nil, headers: headers).status == 403, "\(path)")
            }
        }
    }

    @Test func `credentials are checked before the body is read`() async throws {
        try await withService { _, client in
            let reply = try await client.send(.post, "/v1/notes", as: nil, json: "not json")
            #expect(reply.status == 401)
        }
    }
}
