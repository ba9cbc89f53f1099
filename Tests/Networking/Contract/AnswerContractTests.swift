import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What every transport makes of an answer that is in order.
@Suite(.timeLimit(.minutes(1))) struct AnswerContractTests {
    static let statuses = [200, 201, 202, 206, 300, 400, 401, 403, 404, 409, 412, 422, 429, 500, 503, 504]

    @Test(arguments: Subject.allCases, statuses)
    func `status, fields and body come as they were sent`(subject: Subject, status: Int) async throws {
        try await subject.run(.whole(status, headers: ["X-Tide": "high", "Empty": ""], body: "water")) { stage in
            let outcome = await stage.exchange()
            #expect(outcome.failure == nil)
            #expect(outcome.head?.status == status)
            #expect(outcome.head?.headers["x-tide"] == "high")
            #expect(outcome.text == "water")
        }
    }

    @Test(arguments: Subject.allCases)
    func `repeated fields are all there`(subject: Subject) async throws {
        try await subject.run(.whole(headers: ["Link": "<a>", "X-B": "3", "Link": "<b>"])) { stage in
            let values = await stage.exchange().head?.headers.values("Link") ?? []
            if subject.deviates(in: .repeatedFields) {
                #expect(values != ["<a>", "<b>"], "The deviation is gone; strike it off.")
                #expect(Set(values.joined(separator: ",").split { ", ".contains($0) }) == ["<a>", "<b>"])
            } else {
                #expect(values == ["<a>", "<b>"])
            }
        }
    }

    @Test(arguments: Subject.allCases, [204, 304])
    func `an answer that has no body ends at once`(subject: Subject, status: Int) async throws {
        try await subject.run(.whole(status, headers: ["ETag": "\"1\""])) { stage in
            let outcome = await stage.exchange()
            #expect(outcome.failure == nil)
            #expect(outcome.head?.status == status)
            #expect(outcome.body.isEmpty)
        }
    }

    @Test(arguments: Subject.allCases)
    func `HEAD announces a length and has no body`(subject: Subject) async throws {
        try await subject.run(.whole(announcing: 99_999_999)) { stage in
            let outcome = await stage.exchange(.head)
            #expect(outcome.failure == nil)
            #expect(outcome.head?.status == 200)
            #expect(outcome.body.isEmpty)
        }
    }

    @Test(arguments: Subject.allCases, [301, 302, 303, 305, 307, 308])
    func `a redirect is returned, its body too, and not followed`(subject: Subject, status: Int) async throws {
        try await subject.run(.whole(status, headers: ["Location": "/elsewhere"], body: "moved")) { stage in
            let outcome = await stage.exchange()
            #expect(outcome.failure == nil)
            #expect(outcome.head?.status == status)
            #expect(outcome.head?.headers["Location"] == "/elsewhere")
            #expect(outcome.text == "moved")
            #expect((stage.server?.requests.count ?? stage.scripted?.requests.count) == 1)
        }
    }

    @Test(arguments: Subject.allCases)
    func `a redirect that names no target is returned`(subject: Subject) async throws {
        try await subject.run(.whole(302, body: "moved")) { stage in
            let outcome = await stage.exchange()
            #expect(outcome.failure == nil)
            #expect(outcome.head?.status == 302)
            #expect(outcome.text == (subject.deviates(in: .bodyOfBareRedirect) ? "" : "moved"))
        }
    }

    /// What a server may write into `Location`, well-meaning or not.
    static let locations = [
        "", " ", "?", "#x", "//", "//[", "http://", "http://[::1", "///", "a b", "%", "%zz", "?q=%zz",
        "//a:b@c:99999/", "javascript:alert(1)", "\u{7F}", "http://a b/", ":", "x:", "//host:port", "../..",
        "?a=[b]|{c}", "/\u{E9}", "//\u{E9}.test/?\u{E9}#\u{E9}",
    ]

    @Test(arguments: Subject.onSockets, locations)
    func `no target of a redirect is followed or does harm`(subject: Subject, location: String) async throws {
        try await subject.run(.whole(302, headers: ["Location": location])) { stage in
            let outcome = await stage.exchange()
            #expect(outcome.head?.status == 302 || outcome.kind == "invalidResponse")
            #expect(stage.server?.requests.count == 1)
        }
    }

    /// Those that FoundationNetworking of Swift 6.3 does not survive.
    static let deadlyLocations = ["//[::1]/x", "//%00/"]

    @Test(arguments: Subject.onSockets, deadlyLocations)
    func `a target without a scheme does no harm, but with URLSession`(
        subject: Subject, location: String
    ) async throws {
        guard subject.deviates(in: .survivesLocation) else {
            return try await subject.run(.whole(302, headers: ["Location": location])) { stage in
                #expect(await stage.exchange().head?.status == 302)
            }
        }
        await #expect(processExitsWith: .failure) { [location] in
            try? await Subject.urlSession.run(.whole(302, headers: ["Location": location])) { stage in
                _ = await stage.exchange()
            }
        }
    }

    static let challenges = ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer"]

    @Test(arguments: Subject.allCases, challenges)
    func `a challenge is returned, not answered`(subject: Subject, challenge: String) async throws {
        try await subject.run(.whole(401, headers: ["WWW-Authenticate": challenge], body: "no")) { stage in
            let outcome = await stage.exchange()
            #expect(outcome.head?.status == 401)
            #expect(outcome.text == "no")
            #expect((stage.server?.requests.count ?? stage.scripted?.requests.count) == 1)
        }
    }

    @Test(arguments: Subject.allCases)
    func `interim answers are passed over`(subject: Subject) async throws {
        let reply = Reply(
            "100, 103 and 200",
            [
                .send(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            ], as: .interim([100, 103], then: .status(200, body: "ok")))
        try await subject.run(reply) { stage in
            let outcome = await stage.exchange()
            #expect(outcome.head?.status == 200)
            #expect(outcome.text == "ok")
        }
    }

    @Test(arguments: Subject.allCases)
    func `a body is read while the rest of it is not there yet`(subject: Subject) async throws {
        let gate = Gate()
        let reply = Reply(
            "chunks",
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhigh\r\n"), .wait(gate),
                .send("5\r\n tide\r\n0\r\n\r\n"),
            ], as: .slow([Data("high".utf8), Data(" tide".utf8)], gates: [.opened, gate]))
        try await subject.run(reply) { stage in
            let text = Shared("")
            try await stage.transport.send(try stage.request()) { response in
                for try await chunk in response.body {
                    text.change { $0 += String(decoding: chunk, as: UTF8.self) }
                    if text.value == "high" { gate.open() }
                }
            }
            #expect(text.value == "high tide")
        }
    }

    @Test(arguments: Subject.allCases)
    func `a large body arrives whole and in order`(subject: Subject) async throws {
        let text = (0..<200_000).map { "\($0)," }.joined()
        try await subject.run(.whole(body: text)) { stage in
            #expect(await stage.exchange().text == text)
        }
    }

    @Test(arguments: Subject.allCases)
    func `an error of receive is thrown unchanged`(subject: Subject) async throws {
        struct Refusal: Error {}
        try await subject.run(.whole(body: "ok")) { stage in
            await #expect(throws: Refusal.self) {
                try await stage.transport.send(try stage.request()) { _ in throw Refusal() }
            }
        }
    }
}
