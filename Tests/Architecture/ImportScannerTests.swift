import Testing

/// Text that is an import, and text that resembles one.
@Suite struct ImportScannerTests {
    private func imports(_ text: String) -> [Import] { SourceFile(path: "File.swift", text: text).imports }

    @Test func `the scanner reads the module and the line`() {
        let found = imports("\n\nimport Logging\n")

        #expect(found.map(\.module) == ["Logging"])
        #expect(found.map(\.line) == [3])
    }

    @Test(arguments: ["public", "package", "internal", "fileprivate", "private"])
    func `the scanner reads the access level`(access: String) {
        #expect(imports("\(access) import Logging").map(\.access) == [access])
    }

    @Test(arguments: ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"])
    func `the scanner reads the kind of a scoped import`(kind: String) {
        let found = imports("import \(kind) Logging.Thing")

        #expect(found.map(\.module) == ["Logging"])
        #expect(found.map(\.kind) == [kind])
        #expect(found.map(\.path) == [["Logging", "Thing"]])
    }

    @Test func `the scanner reads attributes, on separate lines too`() {
        let found = imports(
            """
            @testable import A
            @_exported
            @preconcurrency public import B
            @_spi(Testing) @_implementationOnly import C
            @_documentation(visibility: internal)
            import D
            """)

        #expect(found.map(\.module) == ["A", "B", "C", "D"])
        #expect(
            found.map(\.attributes) == [
                ["testable"], ["_exported", "preconcurrency"], ["_spi", "_implementationOnly"], ["_documentation"],
            ])
        #expect(found.map(\.access) == [nil, "public", nil, nil])
        #expect(found.map(\.line) == [1, 3, 4, 6])
    }

    @Test func `the scanner reads every branch of a condition`() {
        let found = imports(
            """
            #if canImport(Glibc)
            import Glibc
            #elseif os(Windows) && !DEBUG
            import WinSDK
            #else
                #if false
                import Hidden
                #endif
            import Musl
            #endif
            import Logging
            """)

        #expect(found.map(\.module) == ["Glibc", "WinSDK", "Hidden", "Musl", "Logging"])
        #expect(
            found.map(\.conditions) == [
                ["canImport(Glibc)"], ["os(Windows)&&!DEBUG"], ["else", "false"], ["else"], [],
            ])
    }

    @Test func `the scanner reads two imports on a line, submodules, back-ticks and a trailing comment`() {
        let found = imports("import A; import B.Sub // import C\nimport `D`\n/* x */ import E /* import F */\n")

        #expect(found.map(\.path) == [["A"], ["B", "Sub"], ["D"], ["E"]])
    }

    @Test func `an import after a brace on the same line counts`() {
        #expect(imports("struct A {} ; import B").map(\.module) == ["B"])
    }

    @Test func `an import in a comment is not read`() {
        let text = """
            // import A
            /// import B
            /* import C
            import D /* nested
            import E */
            import F
            */
            import G
            """
        #expect(imports(text).map(\.module) == ["G"])
    }

    @Test func `an import in a literal is not read`() {
        let quotes = "\"\"\""
        let text = """
            let one = "import A"
            let many = \(quotes)
                import B
                "quoted" \\(quotes)
                import C
                \(quotes)
            let raw = #"import D " import E"#
            let rawMany = ##\(quotes)
                import F
                \(quotes)#
                import G
                \(quotes)##
            let regex = /import "H/
            let wide = #/
                import I
                /#
            import J
            """
        #expect(imports(text).map(\.module) == ["J"])
    }

    @Test(arguments: [
        "value.import", "run(import: file)", "func read(import file: File)", "let x = import", "call(a, import: b)",
        "case `import`", "func `import A`() {}", "canImport(Glibc)", "important", "_ = \"\\(\"import A\")\"",
    ])
    func `a line that resembles an import is not read`(text: String) {
        #expect(imports(text) == [])
    }
}
