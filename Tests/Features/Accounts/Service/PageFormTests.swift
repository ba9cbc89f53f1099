import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// Forms of other sites (CSRF), and links that lead to other hosts.
@Suite struct PageFormTests {
    /// What a browser says about the page that sent a form to `http://localhost`, and whether the form is taken.
    private static let senders: [(headers: HeaderFields, isTaken: Bool)] = [
        (["Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"], true),
        (["Sec-Fetch-Site": "none"], true), ([:], true), (["Origin": "http://localhost"], true),
        (["Origin": "https://localhost:443"], true), (["Sec-Fetch-Site": "same-origin", "Origin": "null"], true),
        (["Sec-Fetch-Site": "cross-site"], false), (["Sec-Fetch-Site": "same-site"], false),
        (["Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"], false), (["Sec-Fetch-Site": ""], false),
        (["Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"], false), (["Origin": "null"], false),
        (["Origin": "http://evil.example"], false), (["Origin": "http://localhost.evil.example"], false),
        (["Origin": "http://evil.example@localhost"], false), (["Origin": "localhost"], false), (["Origin": ""], false),
    ]

    @Test(arguments: senders.indices)
    func `a form is taken from a page of this service only`(index: Int) async throws {
        let (headers, isTaken) = Self.senders[index]
        try await withAccounts { _, client in
            let own = try await client.browser.signedIn()
            var sender = own
            sender.headers = headers
            let reply = try await sender.send("/signout", ["form_token": own.formToken()])
            #expect(reply.status == (isTaken ? 303 : 403), "\(headers)")
            #expect(try await own.user() == (isTaken ? nil : "ada"), "\(headers)")
            sender.cookie = nil
            // The cookie is not sent with a form of another site.
            let without = try await sender.send("/signout", ["form_token": "x"])
            #expect((without.status == 303 && without.headers["Set-Cookie"] != nil) == isTaken, "\(headers)")
            let password = AccountsBackend.password.reveal()
            let login = try await sender.send("/signin", ["username": "ada", "password": password])
            #expect((login.headers["Set-Cookie"] != nil) == isTaken, "\(headers)")
            if !isTaken { #expect(login.status == 403 && login.text.contains("Open the page anew")) }
        }
    }

    @Test func `two fields that contradict each other are refused`() async throws {
        try await withAccounts { _, client in
            var browser = try await client.browser.signedIn()
            browser.headers.add("Sec-Fetch-Site", "cross-site")
            #expect(try await browser.send("/signout", ["form_token": browser.formToken()]).status == 403)
        }
    }

    @Test func `a form without the token of its session is refused with a page that says what to do`() async throws {
        try await withAccounts { _, client in
            let browser = try await client.browser.signedIn()
            let other = try await client.browser.signedIn("root")
            let ownBefore = try await client.browser.signedIn()
            let cookie = try #require(browser.cookie?.split(separator: "=").last)
            let tokens = [
                "", "x", String(cookie), try await other.formToken(), try await ownBefore.formToken(),
                try await browser.formToken() + "A",
            ]
            for form in [["other": "x"]] + tokens.map({ ["form_token": $0] }) {
                let reply = try await browser.send("/signout", form)
                #expect(reply.status == 403, "\(form)")
                #expect(reply.headers["Content-Type"] == "text/html; charset=utf-8")
                #expect(reply.text.contains("Open the page anew") && reply.text.contains("href=\"/signin\""))
            }
            #expect(try await browser.user() == "ada")
        }
    }

    @Test func `a link ends no session`() async throws {
        try await withAccounts { _, client in
            let browser = try await client.browser.signedIn()
            #expect(try await browser.open("/signout?form_token=\(browser.formToken())").status == 405)
            #expect(try await browser.user() == "ada")
        }
    }

    @Test(arguments: [
        "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "\\/evil.example",
        "https://evil.example",
        "https:evil.example", "HTTPS:/evil.example", "javascript:alert(1)", "data:text/html,x", "evil.example", "",
        "/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example", "/ /evil.example", "/é",
        "/x\r\nSet-Cookie: a=b", "/x#y", "/x\"y", "/<x>", "/" + String(repeating: "x", count: 1024),
    ])
    func `another host is no place to go on`(next: String) async throws {
        #expect(LocalPath.accepted(next, otherwise: "/signin") == "/signin")
        try await withAccounts { _, client in
            let password = AccountsBackend.password.reveal()
            let reply = try await client.browser.send(
                "/signin", ["username": "ada", "password": password, "next": next])
            #expect(reply.status == 303 && reply.headers["Location"] == "/signin")
            // The same for a browser that is signed in already: it stays.
            let query: QueryItems = ["next": next]
            let page = try await client.browser.after(reply).open("/signin?\(query.encoded)")
            #expect(page.status == 200 && page.headers["Location"] == nil && page.text.contains("as <strong>ada<"))
        }
    }

    @Test(arguments: ["/", "/admin", "/admin?view=jobs&cursor=a%2Fb", "/device?user_code=WDJB-MJHT", "/a/../b"])
    func `a path of this service is one`(next: String) async throws {
        try await withAccounts { _, client in
            let password = AccountsBackend.password.reveal()
            let query: QueryItems = ["next": next]
            let page = try await client.browser.open("/signin?\(query.encoded)")
            #expect(page.text.contains("name=\"next\" value=\"\(next.replacing("&", with: "&amp;"))\""))
            let reply = try await client.browser.send(
                "/signin", ["username": "ada", "password": password, "next": next])
            #expect(reply.status == 303 && reply.headers["Location"] == next)
            let again = try await client.browser.after(reply).open("/signin?\(query.encoded)")
            #expect(again.status == 303 && again.headers["Location"] == next)
        }
    }
}
