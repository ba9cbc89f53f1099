import Foundation
import HTTPTypes
import StrataDomain
import Testing

@testable import StrataService

@Suite struct `The page at docs` {
    @Test func `loads nothing from another host and has no inline script`() async throws {
        try await withService { _, client in
            let page = try await client.send(.get, "/docs", as: nil)
            #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8")
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'; script-src 'self'; style-src 'self';"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(!page.text.contains("://") && !page.text.contains("style="))
            for tag in page.text.split(separator: "<script").dropFirst() { #expect(tag.hasPrefix(" src=\"docs/")) }
        }
    }

    @Test(arguments: ["/docs/viewer.js", "/docs/viewer.css", "/docs/page.js", "/docs/page.css"])
    func `its files are served with a type, a policy and an ETag`(path: String) async throws {
        try await withService { _, client in
            let file = try await client.send(.get, path, as: nil)
            #expect(file.status == 200 && !file.body.isEmpty)
            #expect(file.headers[.contentType]?.hasPrefix("text/") == true)
            #expect(file.headers[.contentSecurityPolicy] != nil)
            let tag = try #require(file.headers[.eTag])
            let again = try await client.send(.get, path, as: nil, headers: [.ifNoneMatch: tag])
            #expect(again.status == 304 && again.headers[.contentEncoding] == nil)
        }
    }

    @Test func `its viewer is sent as gzip`() async throws {
        try await withService { _, client in
            let script = try await client.send(.get, "/docs/viewer.js", as: nil)
            #expect(script.headers[.contentEncoding] == "gzip")
            #expect(script.body.prefix(2) == Data([0x1F, 0x8B]))
        }
    }

    @Test func `the root leads to it`() async throws {
        try await withService { _, client in
            let root = try await client.send(.get, "/", as: nil)
            #expect(root.status == 302 && root.headers[.location] == "/docs")
        }
    }

    @Test(arguments: ["/", "/docs", "/docs/viewer.js"])
    func `a service without it answers 404, and still has the document`(path: String) async throws {
        try await withService(configure: { $0.showsViewer = false }) { _, client in
            let page = try await client.send(.get, path, as: nil)
            #expect(page.status == 404)
            let document = try await client.send(.get, "/openapi.json", as: nil)
            #expect(document.status == 200)
        }
    }

    @Test func `has the name and the colours of the service's pages`() async throws {
        let pages = try PageStyle(name: "Tides & more", light: PageColor("#8a1c00"), dark: PageColor("#ffb59e"))
        try await withService(configure: { $0.pages = pages }) { _, client in
            #expect(try await client.send(.get, "/docs", as: nil).text.contains("<title>Tides &amp; more</title>"))
            let style = try await client.send(.get, "/docs/page.css", as: nil).text
            #expect(style.contains(":root{--main:#8a1c00;--on:#ffffff}"))
            #expect(style.contains("(prefers-color-scheme:dark){:root{--main:#ffb59e;--on:#000000}}"))
        }
    }

    /// Swagger UI gives them a contrast of 3.5 and writes the colour into each element. `Scripts/browser` shows that the rule has effect.
    @Test func `numbers in a response can be read on the ground of code`() async throws {
        try await withService { _, client in
            let style = try await client.send(.get, "/docs/page.css", as: nil).text
            let rule = try #require(
                style.firstMatch(of: /\[style\*="rgb\(211, 99, 99\)"\] \{ color: (#[0-9a-f]{6}) !important; \}/))
            let (color, ground) = (try #require(PageColor(String(rule.1))), try #require(PageColor("#333333")))
            #expect(color.contrast(with: ground) >= 4.5)
        }
    }

    @Test func `the name of the service cannot end the title`() {
        #expect(ViewerPage.html(title: "</title><script>").contains("<title>&lt;/title&gt;&lt;script&gt;</title>"))
    }
}
