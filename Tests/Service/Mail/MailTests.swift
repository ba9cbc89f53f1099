import Foundation
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite struct MailTests {
    private func message(
        to: [String] = ["bert@example.org"], subject: String = "Tide", text: String = "High at noon."
    ) throws -> MailMessage {
        try MailMessage(
            from: MailAddress("anna@example.com"), to: to.map { try MailAddress($0) }, subject: subject, text: text)
    }

    private func rendered(_ message: MailMessage) -> (head: String, text: String?) {
        let parts = String(decoding: message.bytes(id: "job-1", at: .noon), as: UTF8.self).split(
            separator: "\n\n", maxSplits: 1)
        let bytes = Data(base64Encoded: String(parts.count > 1 ? parts[1] : ""), options: .ignoreUnknownCharacters)
        return (String(parts[0]), bytes.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test func `a mail has the fields of RFC 5322 and its text`() throws {
        let (head, text) = rendered(
            try message(to: ["bert@example.org", "c.d+e@sub.example.org"], text: "a\nb\r\n.\nü"))
        #expect(
            head == """
                From: anna@example.com
                To: bert@example.org,
                 c.d+e@sub.example.org
                Subject: Tide
                Date: Sat, 21 Nov 2026 12:00:00 +0000
                Message-ID: <job-1@example.com>
                Auto-Submitted: auto-generated
                MIME-Version: 1.0
                Content-Type: text/plain; charset=utf-8
                Content-Transfer-Encoding: base64
                """)
        #expect(text == "a\r\nb\r\n.\r\nü")
    }

    @Test(arguments: [
        "Tide\r\nBcc: all@example.org", "Tide\nBcc: x", "Tide\rBcc: x", "a\0b", "a\u{2028}b", "a\u{85}b", "",
        "\u{1B}[2J",
    ])
    func `a subject of more than one line is refused`(_ subject: String) {
        #expect(throws: MailError.subject) { try message(subject: subject) }
    }

    @Test(arguments: [
        "", "anna", "@example.com", "anna@", "a@b@c", "anna@example.com\nBcc: x@example.com",
        "anna@example.com,x@example.com",
        "-oQ/tmp@example.com", "anna bert@example.com", "<anna@example.com>", "\"anna\"@example.com",
        "anna@[127.0.0.1]",
        "anna@exa_mple.com", "anna@-example.com", ".anna@example.com", "anna..b@example.com", "anna@example..com",
        "änna@example.com",
        "anna@example.com ", "|sh@example.com\0", "`id`@example.com", "$(id)@example.com",
    ])
    func `what is not a plain address is refused`(_ text: String) {
        let error = #expect(throws: MailError.self) { try MailAddress(text) }
        #expect(error?.description.contains("\n") == false)
    }

    @Test func `a subject beyond ASCII becomes encoded words of at most 75 characters`() throws {
        let subject = String(repeating: "Hochwasser über 4 m – 🌊 ", count: 8).trimmingCharacters(in: .whitespaces)
        let (head, _) = rendered(try message(subject: subject))
        let field = head.components(separatedBy: "\nDate: ")[0].components(separatedBy: "Subject: ")[1]
        let words = field.components(separatedBy: "\n ")
        #expect(words.count > 3)
        #expect(words.allSatisfy { $0.count <= 75 && $0.hasPrefix("=?utf-8?B?") && $0.hasSuffix("?=") })
        let read = try words.map { word in
            let bytes = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
            return try #require(String(data: bytes, encoding: .utf8))
        }
        #expect(read.joined() == subject)
    }

    @Test func `a stored mail is checked like a new one`() throws {
        let mail = SendMail(try message())
        let good = try WireJSON.encode(mail)
        let read = try WireJSON.decode(SendMail.self, from: good)
        #expect(read == mail)
        let bad = String(decoding: good, as: UTF8.self).replacing("\"Tide\"", with: #""Tide\nBcc: x""#)
        #expect(throws: (any Error).self) { try WireJSON.decode(SendMail.self, from: Data(bad.utf8)) }
    }

    @Test func `text that is too long and too many recipients are refused`() throws {
        #expect(throws: MailError.text(bytes: 32_769)) { try message(text: String(repeating: "x", count: 32_769)) }
        #expect(throws: MailError.recipients(0)) { try message(to: []) }
        #expect(throws: MailError.recipients(51)) { try message(to: Array(repeating: "a@b.c", count: 51)) }
        // The largest one fits into what the kernel buffers for the program.
        let largest = try message(text: String(repeating: "x", count: MailMessage.largestText))
        #expect(largest.bytes(id: "job-1", at: .noon).count < 60_000)
    }

    @Test(arguments: [0, 67, 75])
    func `sendmail gets the recipients as arguments and the message as input`(_ status: Int) async throws {
        let directory = try TemporaryDirectory()
        let script = """
            #!/bin/sh
            printf '%s\\n' "$@" > '\(directory.path)/arguments'
            cat > '\(directory.path)/mail'
            exit \(status)
            """
        let path = try directory.write("sendmail", Data(script.utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        let message = try message()
        var failure: JobFailure?
        do { try await SendmailMailer(path: path).send(message, id: "job-1", at: .noon) } catch {
            failure = error as? JobFailure
        }
        let arguments = String(decoding: try #require(directory.content("arguments")), as: UTF8.self)
        #expect(arguments == "-i\n-f\nanna@example.com\n--\nbert@example.org\n")
        #expect(directory.content("mail") == message.bytes(id: "job-1", at: .noon))
        switch (status, failure) {
        case (0, nil), (67, .permanent), (75, .retry): break
        default: Issue.record("status \(status) gives \(String(describing: failure))")
        }
    }

    @Test func `a machine without sendmail is a failure that is tried again`() async throws {
        let message = try message()
        let error = await #expect(throws: JobFailure.self) {
            try await SendmailMailer(path: "/nonexistent/sendmail").send(message, id: "job-1", at: .noon)
        }
        guard case .retry(_, let reason) = error else {
            Issue.record("it is set aside")
            return
        }
        #expect(reason.contains("/nonexistent/sendmail"))
    }

    @Test func `a mail is a job that a mailer of files shows`() async throws {
        try await withJobs(.sqlite) { rig in
            let directory = try TemporaryDirectory()
            let (message, now) = (try message(), rig.wallClock.now)
            let id = try await rig.store.write { try $0.enqueue(SendMail(message), at: now) }
            let handler = SendMail.handler(FileMailer(directory: directory.path), wallClock: rig.wallClock)
            try await rig.runner([handler]).settle()
            #expect(directory.content("\(id).eml") == message.bytes(id: id, at: now))
        }
    }
}
