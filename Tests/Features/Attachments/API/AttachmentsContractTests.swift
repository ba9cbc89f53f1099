import AttachmentsAPI
import AttachmentsDomain
import Foundation
import JournalDomain
import StrataDomain
import Testing

struct AttachmentsContractTests {
    private let json = """
        {"created_at":"2026-11-21T12:00:00.000Z",\
        "digest":"sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:","entry_id":"e1","file_name":"disk.log",\
        "id":"a1","media_type":"text/plain","size":0}
        """

    @Test func `an attachment has these names on the wire`() throws {
        let attachment = Attachment.sample(content: Data())
        #expect(String(decoding: try WireJSON.encode(attachment), as: UTF8.self) == json)
        #expect(try WireJSON.decode(Attachment.self, from: Data(json.utf8)) == attachment)
    }

    @Test func `the endpoints are these requests`() throws {
        let upload = try UploadAttachment(id: JournalEntry.ID("e 1")).request()
        #expect(upload.method == .post && upload.target == "/v1/journal/entries/e%201/attachments")
        #expect(upload.body == nil && UploadAttachment.successStatus == 201)
        let list = try ListAttachments(id: JournalEntry.ID("e1"), cursor: "c+d", limit: 2).request()
        #expect(list.method == .get && list.target == "/v1/journal/entries/e1/attachments?cursor=c%2Bd&limit=2")
        #expect(try ListAttachments(id: JournalEntry.ID("e1")).request().target == "/v1/journal/entries/e1/attachments")
        #expect(try GetAttachment(id: Attachment.ID("a1")).request().target == "/v1/attachments/a1")
        #expect(try AttachmentContent(id: Attachment.ID("a1")).request().target == "/v1/attachments/a1/content")
        #expect(AttachmentContent.successStatus == 200)
    }

    @Test(arguments: [".", "..", ""])
    func `an id never becomes another path`(id: String) {
        #expect(throws: EndpointError.self) { try AttachmentContent(id: Attachment.ID(id)).request() }
        #expect(throws: EndpointError.self) { try UploadAttachment(id: JournalEntry.ID(id)).request() }
    }

    @Test(arguments: [
        #"{}"#, #"[]"#, #"null"#, #""#, #"{"id":"a1"}"#,
    ])
    func `garbage is no attachment`(text: String) {
        #expect(throws: WireJSON.Failure.self) {
            try WireJSON.decode(Attachment.self, from: Data(text.utf8))
        }
    }

    @Test(arguments: [
        (#""size":0"#, #""size":"0""#), (#""size":0"#, #""size":1.5"#), (#""size":0"#, #""size":99999999999999999999"#),
        (#""id":"a1""#, #""id":"a 1""#), (#""id":"a1""#, #""id":"""#), (#""entry_id":"e1""#, #""entry_id":null"#),
        (#""file_name":"disk.log""#, #""file_name":7"#), ("2026-11-21T12:00:00.000Z", "yesterday"),
        ("sha-256=:47DEQpj8", "sha-256=:47DE"), ("sha-256=", "md5="),
    ])
    func `an attachment with a damaged field is refused`(good: String, bad: String) {
        let damaged = json.replacingOccurrences(of: good, with: bad)
        #expect(damaged != json)
        #expect(throws: WireJSON.Failure.self) {
            try WireJSON.decode(Attachment.self, from: Data(damaged.utf8))
        }
    }

    @Test(arguments: [(#""disk.log""#, #""../x""#, "x"), (#""disk.log""#, #""""#, "attachment")])
    func `a name no server of ours gives becomes the nearest legal one`(
        good: String, bad: String, expected: String
    ) throws {
        let text = json.replacingOccurrences(of: good, with: bad)
        let attachment = try WireJSON.decode(Attachment.self, from: Data(text.utf8))
        #expect(attachment.fileName.text == expected)
    }

    @Test func `a size below zero is none`() throws {
        let text = json.replacingOccurrences(of: #""size":0"#, with: #""size":-1"#)
        #expect(try WireJSON.decode(Attachment.self, from: Data(text.utf8)).size == 0)
    }
}
