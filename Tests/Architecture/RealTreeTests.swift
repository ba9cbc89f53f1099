import Foundation
import Testing

/// Checks the real tree with every rule.
@Suite struct RealTreeTests {
    /// A rule that examines fewer places than its minimum no longer recognises them.
    @Test(arguments: Rule.all) func `the tree keeps every rule, which examines its minimum of places`(rule: Rule)
        async throws
    {
        let finding = rule(try await Project.real.value)

        let list = finding.violations.map(\.description).joined(separator: "\n")
        #expect(finding.violations.isEmpty, "\(rule.name): \(finding.violations.count) broken\n\(list)")
        #expect(
            finding.examined >= rule.minimum,
            "'\(rule.name)' examined \(finding.examined) places; below \(rule.minimum) it no longer recognises them.")
    }

    @Test func `every layer has a module`() async throws {
        let layers = Set(try await Project.real.value.manifest.targets.compactMap { Layer(path: $0.path) })

        #expect(layers == Set(Layer.allCases))
    }

    @Test func `both apps are found by their folders`() async throws {
        let paths = try await Project.real.value.manifest.targets.map(\.path)

        #expect(paths.contains("Apps/CLI"))
        #expect(paths.contains("Apps/Backend"))
    }

    @Test func `every module and app has a README, and a part of a feature has none`() async throws {
        for target in try await Project.real.value.manifest.targets where !target.isTest {
            let page = Project.root.appending(path: "\(target.path)/README.md")
            let isPart = target.path.hasPrefix("Modules/Features/")
            let isThere = (try? page.checkResourceIsReachable()) == true
            #expect(
                isThere != isPart,
                "\(target.path)/README.md is \(isPart ? "one of several of its feature; keep one in the folder above" : "missing")."
            )
        }
    }
}
