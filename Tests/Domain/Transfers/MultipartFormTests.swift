import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

struct MultipartFormTests {
    private func bytes(of body: UploadBody) async throws -> Data {
        var bytes = Data()
        for try await chunk in try await body.open() { bytes.append(chunk) }
        return bytes
    }

    private func text(_ parts: FormPart...) async throws -> String {
        String(decoding: try await bytes(of: MultipartForm(parts).body(boundary: "B")), as: UTF8.self)
    }

    private func failure(_ parts: FormPart..., boundary: String = "B") async -> String {
        do {
            _ = try await bytes(of: MultipartForm(parts).body(boundary: boundary))
            return "no failure"
        } catch { return "\(error)" }
    }

    private func stream(_ text: String, length: Int?, isReplayable: Bool = true) -> UploadBody {
        .stream(length: length, isReplayable: isReplayable) {
            AsyncThrowingStream<Data, any Error> { continuation in
                for character in text { continuation.yield(Data(String(character).utf8)) }
                continuation.finish()
            }
        }
    }

    @Test func `fields and files stand between boundaries, in order`() async throws {
        let form = try await text(
            .field("title", "Dürre"),
            .file("photo", named: "a.png", .bytes(Data("PNG".utf8), contentType: "image/png")),
            .file("log", named: "/var/log/b.log", .bytes(Data("x\r\n".utf8))))
        #expect(
            form
                == [
                    "--B", "Content-Disposition: form-data; name=\"title\"", "", "Dürre", "--B",
                    "Content-Disposition: form-data; name=\"photo\"; filename=\"a.png\"", "Content-Type: image/png", "",
                    "PNG",
                    "--B", "Content-Disposition: form-data; name=\"log\"; filename=\"b.log\"",
                    "Content-Type: application/octet-stream", "", "x\r\n", "--B--", "",
                ].joined(separator: "\r\n"))
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\"b", "a%22b"), ("a\rb\nc\r\nd", "a%0Db%0Ac%0D%0Ad"), ("Größe ☂.txt", "Größe ☂.txt"),
        ("50% off", "50% off"), ("back\\slash", "back\\slash"), ("", ""), ("a; b=c", "a; b=c"),
        ("field with spaces", "field with spaces"), ("%22", "%22"), ("~", "~"), ("'", "'"),
        ("resumé.pdf", "resumé.pdf"),
        ("\"\"", "%22%22"), ("日本語 😃👍🏻", "日本語 😃👍🏻"),
    ])
    func `quotes and line breaks in names are escaped`(name: String, escaped: String) async throws {
        #expect(try await text(FormPart(name, body: .bytes(Data()))).contains("; name=\"\(escaped)\"\r\n"))
        #expect(
            try await text(.file("f", named: name, .bytes(Data()))).contains("; filename=\"\(escaped)\"\r\n"))
    }

    @Test(arguments: ["\u{0}", "a\u{1B}[31m", "tab\there", "\u{7F}"])
    func `a control character in a name is refused`(name: String) async {
        #expect(await failure(FormPart(name, body: .bytes(Data()))).contains("control character"))
        #expect(await failure(FormPart("f", fileName: name, body: .bytes(Data()))).contains("control character"))
    }

    @Test(arguments: [
        ("X-Kind", "photo", "X-Kind: photo\r\n"), ("X-Note", "a\tü", "X-Note: a\tü\r\n"),
    ])
    func `a part may carry headers of its own`(name: String, value: String, line: String) async throws {
        #expect(try await text(FormPart("f", headers: [name: value], body: .bytes(Data()))).contains(line))
    }

    @Test(arguments: [
        ("", "x"), ("X Kind", "x"), ("X:", "x"), ("X", "a\r\nY: b"), ("X", "\u{0}"),
        ("content-disposition", "form-data"),
        ("Content-Type", "text/plain"), ("Ü", "x"),
    ])
    func `a part header that would break or repeat another is refused`(name: String, value: String) async {
        let text = await failure(FormPart("f", headers: [name: value], body: .bytes(Data())))
        #expect(text.contains("illegal character") || text.contains("among its headers"))
    }

    @Test func `a content type with a line break is refused`() async {
        let body = UploadBody.bytes(Data(), contentType: "text/plain\r\nX: 1")
        #expect(await failure(FormPart("f", body: body)).contains("'Content-Type' of part 'f'"))
    }

    @Test func `a form without parts is the closing boundary`() async throws {
        #expect(try await text() == "--B--\r\n")
        #expect(try MultipartForm().body(boundary: "B").length == 7)
    }

    @Test func `an empty part has its boundary and header fields`() async throws {
        #expect(
            try await text(.field("a", ""), FormPart("b", body: stream("", length: nil)))
                == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n\r\n--B--\r\n")
    }

    @Test func `a part may contain a form`() async throws {
        let inner = try MultipartForm([.field("x", "1")]).body(boundary: "I")
        let outer = try await text(FormPart("in", body: inner))
        #expect(
            outer.contains(
                "Content-Type: multipart/form-data; boundary=I\r\n\r\n--I\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--I--\r\n\r\n--B--"
            ))
    }

    @Test func `the length is exact if every part's length is known`() async throws {
        let form = MultipartForm([
            .field("ü", "ö"), FormPart("s", body: stream("abc", length: 3)),
            .file("f", named: "ñ", .bytes(Data([0, 255]))),
        ])
        let body = try form.body()
        #expect(try await bytes(of: body).count == body.length)
        let open = MultipartForm(form.parts + [FormPart("t", body: stream("abc", length: nil))])
        #expect(try open.body().length == nil)
    }

    @Test func `files, data and streams in one form are byte for byte between boundaries`() async throws {
        let (photo, rainbow) = (Data([0x89, 0x50, 0, 255, 13, 10]), Data([0xFF, 0xD8, 13, 10]))
        let image = UploadBody.stream(length: 4, isReplayable: true, contentType: "image/jpeg") {
            AsyncThrowingStream<Data, any Error> { continuation in
                for byte in rainbow { continuation.yield(Data([byte])) }
                continuation.finish()
            }
        }
        let form = try MultipartForm([
            .field("french", "français"), FormPart("emoji", body: .bytes(Data("😃👍🏻".utf8), contentType: "text/plain")),
            .file("unicorn", named: "unicorn.png", .bytes(photo, contentType: "image/png")),
            .file("rainbow", named: "rainbow.jpg", image),
        ]).body(boundary: "B")
        var expected = Data("--B\r\nContent-Disposition: form-data; name=\"french\"\r\n\r\nfrançais".utf8)
        expected += Data(
            "\r\n--B\r\nContent-Disposition: form-data; name=\"emoji\"\r\nContent-Type: text/plain\r\n\r\n😃👍🏻".utf8)
        expected += Data(
            "\r\n--B\r\nContent-Disposition: form-data; name=\"unicorn\"; filename=\"unicorn.png\"\r\nContent-Type: image/png\r\n\r\n"
                .utf8)
        expected += photo
        expected += Data(
            "\r\n--B\r\nContent-Disposition: form-data; name=\"rainbow\"; filename=\"rainbow.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
                .utf8)
        expected += rainbow + Data("\r\n--B--\r\n".utf8)
        #expect(try await bytes(of: form) == expected)
        #expect(form.length == expected.count)
    }

    @Test func `a form can be replayed if every part can`() async throws {
        let again = try MultipartForm([.field("a", "1"), FormPart("s", body: stream("abc", length: 3))]).body()
        #expect(again.isReplayable)
        #expect(try await bytes(of: again) == bytes(of: again))
        let once = FormPart("s", body: stream("abc", length: 3, isReplayable: false))
        #expect(try !MultipartForm([.field("a", "1"), once]).body().isReplayable)
    }

    @Test(arguments: [("ab", 3, "has 2"), ("abcd", 3, "has at least 4"), ("", 1, "has 0"), ("a", 0, "has at least 1")])
    func `a part that is not as long as announced stops the form`(text: String, length: Int, found: String) async {
        let failure = await failure(FormPart("s", body: stream(text, length: length)))
        #expect(failure.contains("part 's' of the form was announced with \(length) bytes and \(found)"))
    }

    @Test(arguments: [-1, Int.max])
    func `an impossible length is refused`(length: Int) async {
        #expect(await failure(FormPart("s", body: stream("", length: length))).contains("cannot be sent"))
    }

    @Test func `a part that fails fails the form`() async {
        let broken = UploadBody.stream(length: nil, isReplayable: true) { throw NetworkError(.storage("gone")) }
        #expect(await failure(.field("a", "1"), FormPart("s", body: broken)) == "gone")
    }

    @Test func `a part is opened after the part before it was read`() async throws {
        let late = UploadBody.stream(length: nil, isReplayable: true) { throw NetworkError(.storage("opened")) }
        var chunks = try await MultipartForm([.field("a", "1"), FormPart("s", body: late)]).body(boundary: "B").open()
            .makeAsyncIterator()
        #expect(
            try await chunks.next(isolation: nil)
                == Data("--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8))
        #expect(try await chunks.next(isolation: nil) == Data("1".utf8))
    }

    @Test(arguments: ["", String(repeating: "x", count: 71), "a\"b", "a\r\n", "ü", "ends "])
    func `an illegal boundary is refused`(boundary: String) async {
        #expect(await failure(boundary: boundary).contains("is no boundary"))
    }

    @Test(arguments: [
        ("abc-1_.", "abc-1_."), ("a b", "\"a b\""), ("a:b", "\"a:b\""), (String(repeating: "x", count: 70), nil),
    ])
    func `the content type names the boundary, quoted where it must be`(boundary: String, shown: String?) throws {
        #expect(
            try MultipartForm().body(boundary: boundary).contentType
                == "multipart/form-data; boundary=\(shown ?? boundary)")
    }

    @Test func `random boundaries are legal and differ`() throws {
        var random = SeededRandom(seed: 7)
        let all = (0..<1000).map { _ in MultipartForm.boundary(using: &random) }
        #expect(Set(all).count == 1000)
        #expect(all.allSatisfy { $0.utf8.count == 40 && $0.utf8.allSatisfy { $0 == 45 || $0 > 47 && $0 < 123 } })
        var again = SeededRandom(seed: 7)
        #expect(MultipartForm.boundary(using: &again) == all[0])
        #expect(try MultipartForm().body().contentType != MultipartForm().body().contentType)
    }

    @Test(arguments: 1...20)
    func `a random form is parsed into the same parts`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var contents: [Data] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            // Many dashes and line breaks, which a wrong parser mistakes for boundaries.
            contents.append(
                Data(
                    (0..<Int.random(in: 0...300, using: &random)).map { _ in
                        [13, 10, 45, 66].randomElement(using: &random) ?? 0
                    }))
        }
        let parts = contents.enumerated().map { FormPart("n\($0)", body: .bytes($1)) }
        let boundary = MultipartForm.boundary(using: &random)
        let sent = try await bytes(of: MultipartForm(parts).body(boundary: boundary))
        #expect(Self.read(sent, boundary) == contents)
    }

    /// Splits a form according to RFC 2046, section 5.1.1.
    private static func read(_ form: Data, _ boundary: String) -> [Data] {
        var found: [Data] = []
        let delimiter = Data("\r\n--\(boundary)".utf8)
        var rest = Data("\r\n".utf8) + form
        guard let first = rest.firstRange(of: delimiter) else { return [] }
        rest = Data(rest[first.upperBound...])
        while let next = rest.firstRange(of: delimiter) {
            let part = Data(rest[..<next.lowerBound])
            guard let end = part.firstRange(of: Data("\r\n\r\n".utf8)) else { return [] }
            found.append(Data(part[end.upperBound...]))
            rest = Data(rest[next.upperBound...])
        }
        return rest == Data("--\r\n".utf8) ? found : []
    }
}
