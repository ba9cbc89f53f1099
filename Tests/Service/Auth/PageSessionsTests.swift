import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataService

@Suite struct PageSessionsTests {
    private let database: AuthDatabase
    private let sessions = PageSessions(name: "notes", at: { "https://notes.example" }, limit: 2)

    init() async throws { database = try await AuthDatabase() }

    private func begin(_ user: String = "ada", replacing cookies: [String] = []) async throws -> String {
        let field = try await database.store.write { [sessions] transaction in
            try sessions.begin(
                for: user, device: "browser", replacing: cookies, at: Sample.now, in: transaction)
        }
        return String(try #require(field.split(separator: ";").first))
    }

    private func session(_ cookies: [String]) async throws -> PageSession? {
        try await database.store.read { [sessions] reader in
            try sessions.session(of: cookies, at: Sample.now, in: reader)
        }
    }

    @Test func `a cookie among others names its session`() async throws {
        let cookie = try await begin()
        for field in [cookie, "a=b; \(cookie)", "\(cookie);a=b", "a; b=\"c d\"; \(cookie); e="] {
            #expect(try await session([field])?.userId == "ada", "\(field)")
        }
    }

    @Test func `fields that no browser sends name no session`() async throws {
        let cookie = try await begin()
        let value = String(cookie.dropFirst("__Host-notes=".count))
        let long = String(repeating: "x", count: CookieField.longest)
        let fields: [[String]] = [
            [], [""], [cookie, cookie], ["a=b", cookie], ["\(cookie); \(cookie)"], ["\(cookie); __Host-notes=x"],
            ["__Host-notes=; \(cookie)"], ["a=\(long); \(cookie)"], ["\(cookie)\u{0}"], ["a=\u{1F}; \(cookie)"],
            ["a=\t; \(cookie)"], ["a=\u{7F}; \(cookie)"], ["a=é; \(cookie)"], ["a=\u{2028}; \(cookie)"],
            ["\(cookie)x"], ["\(cookie) "], [String(cookie.dropLast())], ["__Host-notes=\"\(value)\""],
            ["__host-notes=\(value)"], ["__Host-notes =\(value)"], ["__Host-notes= \(value)"], ["notes=\(value)"],
            ["x__Host-notes=\(value)"], [" \(cookie)".replacing("=", with: "\u{A0}=")], ["__Host-notes=%\(value)"],
            ["a=b,\(cookie)"], [cookie.uppercased()], ["__Host-notes=\(long)"],
        ]
        for (index, cookies) in fields.enumerated() { #expect(try await session(cookies) == nil, "row \(index)") }
        #expect(try await session([cookie]) != nil)
    }

    @Test func `the limit counts sessions of pages and of tokens together`() async throws {
        let tokens = RefreshTokens(store: database.store, sessionLimit: 2)
        let first = try await begin()
        let second = try await begin()
        _ = try await database.store.write { transaction in
            try tokens.start(userId: "ada", device: "laptop", at: Sample.now.addingTimeInterval(1), in: transaction)
        }
        let left = [try await session([first]), try await session([second])].compactMap(\.self)
        #expect(left.count == 1)
    }

    @Test func `the token of a form is that of its session, and does not tell the secret`() async throws {
        let cookies = [try await begin(), try await begin("eve")]
        let one = try #require(try await session([cookies[0]]))
        let other = try #require(try await session([cookies[1]]))
        #expect(one.accepts(formToken: one.formToken))
        #expect(!one.accepts(formToken: other.formToken) && !one.accepts(formToken: nil))
        #expect(!one.accepts(formToken: "") && !one.accepts(formToken: one.formToken + "="))
        #expect(!cookies[0].contains(one.formToken))
    }
}
