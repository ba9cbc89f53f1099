import Testing

@testable import StrataSystem

struct ProgramNameTests {
    @Test(arguments: [
        ("tides", "tides"), ("/usr/bin/tides", "tides"), ("./order-tracking", "order-tracking"),
        ("a/\u{1B}[2Jx", "2Jx"),
        ("", "program"), ("/", "program"), ("../..", ".."), ("Å", "program"),
    ])
    func `the last part of a path is the name, without what a terminal would act on`(path: String, name: String) {
        #expect(ProgramName.plain(path) == name)
    }

    @Test func `the variable of a setting begins with the name of the program`() {
        #expect(ProgramName.variable("SERVER").hasSuffix("_SERVER"))
        #expect(ProgramName.variable("SERVER").allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" })
    }
}
