import FoundationEssentials
import StrataDomain
import Testing

/// A malformed value is an error that names place and key, even in an optional part.
struct GarbageTests {
    private func parts(
        _ change: (inout [(String, String)]) -> Void = { _ in }, headers: HeaderFields? = nil,
        path: [String: String]? = nil,
        body: RequestBody?? = .none
    ) throws -> EndpointParts {
        let whole = try received(everyPart.request(), by: EveryPart.self)
        var pairs = whole.query.items.map { ($0.name, $0.value) }
        change(&pairs)
        var query = QueryItems()
        for (name, value) in pairs { query.add(name, value) }
        return EndpointParts(
            pathParameters: path ?? whole.pathParameters, query: query, headers: headers ?? whole.headers,
            body: body ?? whole.body)
    }

    private func error(_ parts: EndpointParts) -> EndpointError? {
        do { _ = try EveryPart(parts) } catch { return error }
        return nil
    }

    @Test(
        arguments: [
            ("count", "4.5"), ("count", ""), ("count", "٣"), ("count", "99999999999999999999"), ("count", " 1"),
            ("count", "1 "),
            ("is_high", "yes"), ("is_high", "TRUE"), ("is_high", "1"), ("since", "yesterday"), ("since", "2026-11-21"),
            ("since", "2026-02-30T00:00:00Z"), ("grade", "SPRING"), ("grade", ""), ("maybe_count", "x"),
            ("maybe_count", ""),
            ("maybe_high", "maybe"), ("maybe_high", ""), ("maybe_since", "x"), ("maybe_since", ""),
            ("maybe_grade", "x"),
            ("maybe_grade", ""), ("numbers", "x"), ("numbers", ""),
        ])
    func `a query value of another kind is malformed, optional or not`(name: String, value: String) throws {
        let error = error(
            try parts { pairs in
                pairs.removeAll { $0.0 == name }
                pairs.append((name, value))
            })
        #expect(error?.kind == .malformed)
        #expect(error?.place == .query)
        #expect(error?.key == name)
        #expect(error.map { "\($0)" }?.hasPrefix("query '\(name)' must be ") == true)
    }

    @Test(arguments: ["text", "count", "is_high", "since", "grade"])
    func `a required query value that is absent is missing`(name: String) throws {
        let error = error(try parts { $0.removeAll { $0.0 == name } })
        #expect(error?.kind == .missing)
        #expect(error?.key == name)
    }

    @Test(arguments: ["text", "count", "maybe_count", "maybe_grade"])
    func `a single value that is sent twice is malformed`(name: String) throws {
        let error = error(
            try parts { pairs in
                guard let first = pairs.first(where: { $0.0 == name }) else { return }
                pairs.append(first)
            })
        #expect(error?.kind == .malformed)
        #expect(error?.key == name)
    }

    @Test(arguments: ["v1", "\"v1", "\"", "\"a\"b\"", "w/\"v1\"", "*", ""])
    func `a header that is not an entity tag is malformed, optional or not`(value: String) throws {
        var headers = try everyPart.request().headers
        headers["If-None-Match"] = value
        #expect(error(try parts(headers: headers))?.key == "If-None-Match")
        headers = try everyPart.request().headers
        headers["If-Match"] = value
        #expect(error(try parts(headers: headers))?.kind == .malformed)
        headers["If-Match"] = nil
        #expect(error(try parts(headers: headers))?.kind == .missing)
    }

    @Test func `header names are read in any case`() throws {
        let headers: HeaderFields = ["IF-MATCH": "\"v1\"", "x-tides": "1", "X-TIDES": "2"]
        let endpoint = try EveryPart(parts(headers: headers))
        #expect(endpoint.ifMatch == EntityTag("v1"))
        #expect(endpoint.xTides == [1, 2])
    }

    @Test(arguments: [
        ("{", EndpointError.Kind.unreadable, "body"), ("", .missing, "body"), ("{}", .missing, "title"),
        (#"{"title":1}"#, .malformed, "title"), (#"{"title":null}"#, .malformed, "title"),
        (#"{"title":"t","metres":"x"}"#, .malformed, "metres"),
        (#"{"title":"t","measured_at":5}"#, .malformed, "measured_at"),
        (#"{"title":"t","measured_at":"soon"}"#, .malformed, "measured_at"),
        (#"{"title":"t","labels":[]}"#, .malformed, "labels"),
        (#"{"title":"t","labels":{"a":1}}"#, .malformed, "labels.a"), ("[]", .malformed, "body"),
        ("7", .malformed, "body"),
        ("null", .malformed, "body"), (#"{"title":"t","metres":1e999}"#, .malformed, "metres"),
    ])
    func `the error of a body names the wrong key`(text: String, kind: EndpointError.Kind, key: String) throws {
        let body = RequestBody(contentType: "application/json", bytes: Data(text.utf8))
        let error = error(try parts(body: body))
        #expect(error?.place == .body)
        #expect(error?.key == key)
        #expect(error?.kind == kind)
    }

    @Test func `a body that is not UTF-8 is refused`() throws {
        let body = RequestBody(contentType: "application/json", bytes: Data([0x22, 0xFF, 0xFE, 0x22]))
        #expect(error(try parts(body: body)) != nil)
        let form = RequestBody(contentType: "application/x-www-form-urlencoded", bytes: Data([0x61, 0x3D, 0xFF]))
        let error = #expect(throws: EndpointError.self) { try SendForm(EndpointParts(body: form)) }
        #expect(error?.kind == .unreadable)
    }

    @Test(arguments: ["text/plain", "", "application/xml", "application/x-www-form-urlencoded"])
    func `a body of another media type is refused by name`(type: String) throws {
        let body = RequestBody(contentType: type, bytes: Data(#"{"title":"t"}"#.utf8))
        #expect(error(try parts(body: body))?.kind == .unsupportedMediaType)
    }

    @Test func `parameters of the media type do not matter`() throws {
        let body = RequestBody(contentType: "Application/JSON ; charset=utf-8", bytes: Data(#"{"title":"t"}"#.utf8))
        #expect(try EveryPart(parts(body: body)).draft == Draft(title: "t"))
    }

    @Test(arguments: ["grant_type=a&grant_type=b", "grant_type=%zz", "refresh_token=x", "grant_type"])
    func `a form with a repeated, broken or missing field is refused`(text: String) {
        let body = RequestBody(contentType: MediaType.form, bytes: Data(text.utf8))
        // A name without a value is an empty value.
        if text == "grant_type" {
            #expect((try? SendForm(EndpointParts(body: body)))?.form.grantType == "")
        } else {
            #expect(throws: EndpointError.self) { try SendForm(EndpointParts(body: body)) }
        }
    }
}
