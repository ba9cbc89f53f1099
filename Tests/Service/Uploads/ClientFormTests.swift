import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

/// Forms as our own client writes them, read by our own server.
@Suite struct ClientFormTests {
    private func received(_ form: MultipartForm) async throws -> [ScannedPart] {
        var bytes: [UInt8] = []
        for try await chunk in try await form.body(boundary: "tide").open() { bytes += Array(chunk) }
        return try scan([bytes]).parts
    }

    @Test(arguments: [
        "plain", "with spaces", "a\"b", "\"", "\"\"", "a\rb", "a\nb", "a\r\nb", "Größe ☂", "日本語 😃👍🏻", "resumé.pdf",
        "50% off", "a%2", "%41", "a; b=c", "a=\"b\"; filename=\"c", "back\\slash", "C:\\log.txt", "~", "'", "a/b", "",
    ])
    func `a name arrives as it was given`(name: String) async throws {
        let form = MultipartForm([FormPart(name, fileName: name, body: .bytes(Data("x".utf8), contentType: "a/b"))])
        #expect(
            try await received(form)
                == [ScannedPart(name: name, fileName: name, mediaType: "a/b", content: Array("x".utf8))])
    }

    /// Browsers escape neither per cent signs nor backslashes (WHATWG HTML, "multipart form data"), so these cannot be told
    /// from what else they stand for.
    @Test(arguments: [("%22", "\""), ("%0d%0A", "\r\n"), ("a\\\\b", "a\\b")])
    func `an escaped name is unescaped`(name: String, read: String) async throws {
        let form = MultipartForm([FormPart("f", fileName: name, body: .bytes(Data()))])
        #expect(try await received(form).map(\.fileName) == [read])
    }

    @Test func `a name that ends in a backslash is refused, not read as another`() async throws {
        let form = MultipartForm([FormPart("f", fileName: "a\\", body: .bytes(Data()))])
        let error = await #expect(throws: ServiceError.self) { try await received(form) }
        #expect(error?.problem.errors?.map(\.field) == ["content-disposition"])
    }

    @Test func `fields, files, empty parts and a form within come out as they went in`() async throws {
        let inner = try MultipartForm([.field("x", "1")]).body(boundary: "inner")
        let form = MultipartForm([
            .field("title", "Dürre"), .file("photo", named: "/home/a.png", .bytes(Data([0, 255, 13, 10]))),
            .field("empty", ""), FormPart("in", body: inner),
        ])
        let nested = Array("--inner\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--inner--\r\n".utf8)
        #expect(
            try await received(form) == [
                ScannedPart(name: "title", fileName: nil, mediaType: nil, content: Array("Dürre".utf8)),
                ScannedPart(
                    name: "photo", fileName: "a.png", mediaType: "application/octet-stream",
                    content: [0, 255, 13, 10]),
                ScannedPart(name: "empty", fileName: nil, mediaType: nil, content: []),
                ScannedPart(name: "in", fileName: nil, mediaType: "multipart/form-data", content: nested),
            ])
        #expect(try await received(MultipartForm()).isEmpty)
    }
}
