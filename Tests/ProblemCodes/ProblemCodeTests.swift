import Foundation
import StrataDomain
import Testing

/// Every problem code of the OpenAPI document, against real requests.
@Suite struct `The problem codes of the document` {
    /// Codes that only a socket or a stopping process provokes, each with the suite that does.
    private static let elsewhere = [
        "malformed_request": "Tests/Service/HTTP/RawHTTPTests.swift",
        "headers_too_large": "Tests/Service/HTTP/RawHTTPTests.swift",
        "draining": "Tests/Service/Application/HealthRoutesTests.swift",
    ]

    @Test(arguments: ProblemCase.all)
    func `is sent by the operation that documents it, with its status`(problem: ProblemCase) async throws {
        let answer = try await ProblemRig.with(problem.setup, problem.provoke)
        #expect(
            answer.code == problem.code, "\(answer.status) \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
        let documented = try Self.document.get().codes(of: answer.operation, answer.status)
        #expect(documented.contains(problem.code), "\(answer.operation) \(answer.status)")
    }

    @Test func `are all provoked, and no case names a code that the document lacks`() throws {
        let documented = try Self.document.get().codes
        let provoked = Set(ProblemCase.all.map(\.code) + Self.elsewhere.keys)
        #expect(documented.subtracting(provoked) == [])
        #expect(provoked.subtracting(documented) == [])
    }

    @Test func `that other suites provoke are named there`() throws {
        for (code, path) in Self.elsewhere {
            let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            #expect(text.contains("\"\(code)\""), "\(path)")
        }
    }

    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// Decoded once for all cases.
    private static let document = Result {
        let bytes = try Data(contentsOf: root.appending(path: "Tests/Recorded/openapi.json"))
        return ProblemDocument(try WireJSON.decode(JSONValue.self, from: bytes))
    }
}

/// The OpenAPI document, asked for problem codes.
private struct ProblemDocument: Sendable {
    private let document: JSONValue

    init(_ document: JSONValue) { self.document = document }

    var codes: Set<String> { Self.codes(in: document) }

    func codes(of operation: String, _ status: Int) -> Set<String> {
        let parts = operation.split(separator: " ").map(String.init)
        let response = document["paths"]?[parts[1]]?[parts[0].lowercased()]?["responses"]?["\(status)"]
        guard let name = response?["$ref"]?.string?.split(separator: "/").last else {
            return response.map(Self.codes) ?? []
        }
        return document["components"]?["responses"]?[String(name)].map(Self.codes) ?? []
    }

    /// The choices of each `code` below `value`.
    private static func codes(in value: JSONValue) -> Set<String> {
        switch value {
        case .object(let members):
            var codes = members.values.reduce(into: Set<String>()) { $0.formUnion(Self.codes(in: $1)) }
            if case .array(let choices)? = members["properties"]?["code"]?["enum"] {
                codes.formUnion(choices.compactMap(\.string))
            }
            return codes
        case .array(let values): return values.reduce(into: []) { $0.formUnion(codes(in: $1)) }
        default: return []
        }
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue? { object?[name] }
}
