import StrataDomain
import StrataTerminal
import Testing

struct UnsentReasonTests {
    static let all: [UnsentReason] = [
        .notLoggedIn(owner: "ada"), .notLoggedIn(owner: nil), .loggedInAt("http://one:1"), .offline, .backlog(100),
        .anotherRun, .slow, .notTaken, .failed(.unauthorized("gone")), .failed(.unavailable("no connection")),
        .failed(.busy("timed out")), .failed(.storage("Others may read the token file; run 'chmod 600 t'.")),
        .failed(.forbidden("not yours")), .failed(.unexpected("a bug")), .failed(.cancelled),
    ]

    @Test(arguments: all)
    func `every reason begins with 'Stored here' and names the next step`(reason: UnsentReason) {
        let text = reason.sentence
        #expect(text.hasPrefix("Stored here"))
        #expect(text.hasSuffix("."))
        #expect(["login", "sync", "outbox list", "chmod"].contains { text.contains($0) }, "\(text)")
    }

    @Test func `each reason has a text of its own`() {
        #expect(Set(Self.all.map(\.sentence)).count == Self.all.count)
    }

    @Test func `the next step names the account or the server of the entries`() {
        #expect(UnsentReason.notLoggedIn(owner: "ada").sentence.contains("login --username ada'"))
        #expect(UnsentReason.loggedInAt("http://one:1").sentence.contains("sync --server http://one:1'"))
    }
}
