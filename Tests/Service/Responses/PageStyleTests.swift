import StrataService
import Testing

@Suite struct PageStyleTests {
    @Test(arguments: [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.478), ("#0b57d0", "#0b57d0", 1)])
    func `the contrast of two colours is that of WCAG`(one: String, two: String, ratio: Double) throws {
        let contrast = try #require(PageColor(one)).contrast(with: try #require(PageColor(two)))
        #expect(abs(contrast - ratio) < 0.001)
    }

    @Test(arguments: ["", "#", "0b57d0", "#0b57d", "#0b57d00", "#0b57dg", "#+b57d0", "#٠b57d0", "blue", "#fff"])
    func `a text that is no colour is refused`(text: String) { #expect(PageColor(text) == nil) }

    @Test func `a colour that is hard to read on its page is refused with a sentence`() throws {
        let (yellow, navy) = (try #require(PageColor("#ffee00")), try #require(PageColor("#000080")))
        let light = #expect(throws: PageStyleError.self) { try PageStyle(light: yellow) }
        #expect(light?.description.contains("#ffee00 has a contrast of 1.") == true)
        #expect(light?.description.contains("take a darker one") == true)
        let dark = #expect(throws: PageStyleError.self) { try PageStyle(dark: navy) }
        #expect(dark?.description.contains("take a lighter one") == true)
        #expect(try PageStyle(light: navy, dark: yellow).customProperties.contains("--main:#000080;--on:#ffffff"))
    }

    @Test(arguments: ["", "two\nlines", String(repeating: "x", count: 61)])
    func `a name that is no line of 1 to 60 characters is refused`(name: String) {
        #expect(throws: PageStyleError.self) { try PageStyle(name: name) }
    }

    @Test func `the standard colours satisfy the rule of others`() throws {
        #expect(try PageStyle(light: PageStyle.standard.light, dark: PageStyle.standard.dark) == .standard)
    }
}
