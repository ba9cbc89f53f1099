import NIOCore
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

/// Which parts a form must have, and which it may not.
@Suite struct UploadFormTests {
    private func form(_ text: String) throws -> UploadForm {
        var pieces = [ByteBuffer(string: text)]
        return UploadForm(boundary: try MultipartBoundary("b")) { pieces.popLast() }
    }

    private static func part(_ parameters: String, _ content: String = "24") -> String {
        "--b\r\nContent-Disposition: form-data\(parameters)\r\n\r\n\(content)\r\n"
    }

    private static let file = part("; name=\"file\"; filename=\"a.txt\"")

    private func bytes(of form: UploadForm) async throws -> String {
        var text = ""
        while let piece = try await form.nextBytes() { text += String(buffer: piece) }
        return text
    }

    /// The content of the one file, or the fields the refusal names.
    private func onlyFile(_ text: String) async throws -> (content: String?, status: Int, fields: [String]) {
        let form = try form(text)
        do {
            let content = try await form.onlyFile("file") { head, form in
                #expect(head.name == "file" && head.fileName != nil)
                return try await bytes(of: form)
            }
            return (content, 200, [])
        } catch let error as ServiceError {
            return (nil, error.problem.status, error.problem.errors?.map(\.field) ?? [])
        }
    }

    @Test func `exactly one file is accepted, with any file name`() async throws {
        #expect(try await onlyFile(Self.file + "--b--").content == "24")
        let quoted = Self.part(#"; filename="He said \"hi\"; then left.txt"; name="file""#)
        #expect(try await onlyFile(quoted + "--b--").content == "24")
        #expect(try await onlyFile(Self.part("; name=file; filename=\"\"", "") + "--b--").content == "")
    }

    @Test(arguments: [
        ("", 422, "file"), (part("; name=\"note\""), 422, "note"), (file + part("; name=\"note\""), 422, "note"),
        (part("; name=\"note\"") + file, 422, "note"), (file + file, 422, "file"),
        (part("; name=\"file\""), 422, "file"),
        (part("; filename=\"a\""), 400, "name"), (part(""), 400, "name"), (file + part(""), 400, "name"),
    ])
    func `a missing, repeated, unknown or unnamed part is refused by name`(
        _ parts: String, _ status: Int, _ field: String
    ) async throws {
        let answer = try await onlyFile(parts + "--b--")
        #expect(answer.content == nil && answer.status == status && answer.fields == [field])
    }

    @Test func `a long field name is truncated in the error`() async throws {
        let long = String(repeating: "n", count: 3000)
        #expect(try await onlyFile(Self.part("; name=\"\(long)\"") + "--b--").fields == [String(long.prefix(100))])
    }

    @Test func `parts are read in order, also with one name, and unread content is skipped`() async throws {
        let form = try form(
            Self.part("; name=\"name\"") + Self.part("; name=\"info\"", "{}") + Self.part("; name=\"name\"", "25")
                + "--b--")
        #expect(try await form.nextPart()?.name == "name")
        #expect(try await form.nextPart()?.name == "info")
        #expect(try await bytes(of: form) == "{}")
        #expect(try await form.nextBytes() == nil)
        #expect(try await form.nextPart()?.name == "name")
        #expect(try await bytes(of: form) == "25")
        #expect(try await form.nextPart() == nil)
        #expect(try await form.nextPart() == nil)
        #expect(try await form.nextBytes() == nil)
    }
}
