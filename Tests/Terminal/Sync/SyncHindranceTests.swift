import StrataDomain
import StrataTerminal
import Testing

struct SyncHindranceTests {
    static let all: [SyncHindrance] = [
        .notLoggedIn(owner: "ada"), .notLoggedIn(owner: nil), .loggedInAt("http://one:1"), .offline, .backlog(100),
        .anotherRun, .slow, .notTaken, .failed(.unauthorized("gone")), .failed(.unavailable("no connection")),
        .failed(.busy("timed out")), .failed(.storage("Others may read the token file; run 'chmod 600 t'.")),
        .failed(.forbidden("not yours")), .failed(.unexpected("a bug")), .failed(.cancelled),
    ]

    @Test(arguments: all)
    func `every hindrance begins with 'Stored here' and names the next step`(hindrance: SyncHindrance) {
        let text = hindrance.sentence
        #expect(text.hasPrefix("Stored here"))
        #expect(text.hasSuffix("."))
        #expect(["login", "sync", "outbox list", "chmod"].contains { text.contains($0) }, "\(text)")
    }

    @Test func `no two hindrances have the same text`() {
        #expect(Set(Self.all.map(\.sentence)).count == Self.all.count)
    }

    @Test func `the next step names the account or the server of the entries`() {
        #expect(SyncHindrance.notLoggedIn(owner: "ada").sentence.contains("login --username ada'"))
        #expect(SyncHindrance.loggedInAt("http://one:1").sentence.contains("sync --server http://one:1'"))
    }
}
