import Testing

@testable import StrataTerminal

struct ColorModeTests {
    @Test func `automatic colour needs a terminal`() {
        #expect(ColorMode.auto.isOn(terminal: true, environment: [:]))
        #expect(!ColorMode.auto.isOn(terminal: false, environment: [:]))
    }

    @Test func `NO_COLOR and a dumb terminal switch automatic colour off`() {
        #expect(!ColorMode.auto.isOn(terminal: true, environment: ["NO_COLOR": "1"]))
        #expect(ColorMode.auto.isOn(terminal: true, environment: ["NO_COLOR": ""]))
        #expect(!ColorMode.auto.isOn(terminal: true, environment: ["TERM": "dumb"]))
    }

    @Test func `an explicit colour mode wins over the environment`() {
        #expect(ColorMode.always.isOn(terminal: false, environment: ["NO_COLOR": "1"]))
        #expect(!ColorMode.never.isOn(terminal: true, environment: [:]))
    }
}
