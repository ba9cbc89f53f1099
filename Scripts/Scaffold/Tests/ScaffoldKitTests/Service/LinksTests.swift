import Testing

@testable import ScaffoldKit

struct LinksTests {
    private let links = Links(["Docs/a.md": FileContents(""), "Docs/Guides/b.md": FileContents("")])

    @Test(arguments: [
        ("[there](Guides/b.md#x) is", "[there](Guides/b.md#x) is"), ("[a [b]](no.md) c", "a [b] c"),
        ("[folder](Guides/) [up](../Docs/a.md)", "[folder](Guides/) [up](../Docs/a.md)"),
        ("[out](https://example.com) [here](#x)", "[out](https://example.com) [here](#x)"),
        ("x](no.md) [`gone`](../no.md), [too](no.md)", "x](no.md) `gone`, too"), ("[open](", "[open]("),
    ])
    func `a link to what stayed behind becomes its words`(text: String, resolved: String) {
        #expect(links.resolved(text, of: "Docs/c.md") == resolved)
    }
}
