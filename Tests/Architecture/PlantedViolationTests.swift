import Testing

/// Checks every rule with a tree that has one violation. The rule must report it with its place.
@Suite struct PlantedViolationTests {
    /// A tree with a violation, the rule that must find it, and the start of its message.
    struct Planted: Sendable, CustomTestStringConvertible {
        let rule: Rule
        let project: Project
        let finding: String
        /// The number of places that the rule must report.
        var count = 1

        var testDescription: String { finding }
    }

    static let planted = plantedImports + plantedEdges + plantedTexts

    @Test(arguments: planted) func `a planted violation is caught with file and line`(planted: Planted) {
        let violations = planted.rule(planted.project).violations.map(\.description)

        #expect(violations.count == planted.count, "\(violations)")
        #expect(violations.contains { $0.hasPrefix(planted.finding) }, "\(violations)")
    }

    @Test(arguments: Rule.all) func `a sound tree breaks no rule`(rule: Rule) {
        #expect(rule(.sound).violations == [])
    }

    @Test(arguments: Rule.all) func `every rule has a planted violation`(rule: Rule) {
        #expect(Self.planted.contains { $0.rule.name == rule.name })
    }

    @Test(arguments: Rule.all) func `an empty tree is below the minimum of every rule`(rule: Rule) {
        let empty = Project(files: [], manifest: Manifest(targets: [], lines: []))

        #expect(rule(empty).examined < rule.minimum)
    }

    // MARK: - Imports

    private static let plantedImports: [Planted] = [
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Domain/Inflater.swift", "import CZlib\n"),
            finding: "Modules/Domain/Inflater.swift:1: The layer 'domain' may not import CZlib;"),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Networking/CZlib/Shim.swift", "import FoundationEssentials\n"),
            finding: "Modules/Networking/CZlib/Shim.swift:1: The layer 'systemLibrary' may not import"),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Domain/Clock.swift", "// time\nimport Foundation\n"),
            finding: "Modules/Domain/Clock.swift:2: The layer 'domain' may not import Foundation;"),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Domain/Clock.swift", "#if os(Windows)\n    import WinSDK\n#endif\n"),
            finding: "Modules/Domain/Clock.swift:2: The layer 'domain' may not import WinSDK;"),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Features/Tides/Domain/Disk.swift", "\npackage import struct Glibc.stat\n"),
            finding: "Modules/Features/Tides/Domain/Disk.swift:2: The layer 'featureDomain' may not import Glibc;"),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Features/Tides/Presentation/List.swift", "import StrataCaching\n"),
            finding: "Modules/Features/Tides/Presentation/List.swift:1: The layer 'featurePresentation' may not import "
                + "StrataCaching of the layer 'data'."),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Features/Tides/Presentation/Now.swift", "import Buoys\n"),
            finding: "Modules/Features/Tides/Presentation/Now.swift:1: The layer 'featurePresentation' may not import "
                + "Buoys of the layer 'client'."),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Clients/Buoys/Cache.swift", "import StrataCaching\n"),
            finding: "Modules/Clients/Buoys/Cache.swift:1: The layer 'client' may not import StrataCaching of"),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Modules/Clients/Buoys/Files.swift", "import Foundation\n"),
            finding: "Modules/Clients/Buoys/Files.swift:1: The layer 'client' may not import Foundation;"),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Apps/CLI/Serve.swift", "@preconcurrency\nimport StrataService\n"),
            finding: "Apps/CLI/Serve.swift:2: The layer 'commandLine' may not import StrataService of"),
        Planted(
            rule: .importsFitTheLayer,
            project: .sound.adding("Apps/Backend/Cache.swift", "import class StrataCaching.TideCache\n"),
            finding: "Apps/Backend/Cache.swift:1: The layer 'backend' may not import StrataCaching of"),
        Planted(
            rule: .importsFitTheLayer, project: .sound.adding("Modules/Utilities/Strings.swift", ""),
            finding: "Modules/Utilities/Strings.swift:1: This folder belongs to no layer"),
        Planted(
            rule: .importsAreDeclared,
            project: .sound.adding("Modules/Data/Caching/Digest.swift", "import Foundation\nimport Crypto\n"),
            finding: "Modules/Data/Caching/Digest.swift:2: StrataCaching imports Crypto, which its row"),
        Planted(
            rule: .importsAreDeclared,
            project: .sound.adding("Tests/Domain/ServerTests.swift", "@testable import tides_server\n"),
            finding: "Tests/Domain/ServerTests.swift:1: StrataDomainTests imports tides_server, which its row"),
        Planted(
            rule: .foundationNetworkingStaysInItsTransport,
            project: .sound.adding(
                "Modules/Networking/AsyncHTTP/Fallback.swift",
                "#if canImport(FoundationNetworking)\n    import FoundationNetworking\n#endif\n"),
            finding: "Modules/Networking/AsyncHTTP/Fallback.swift:2: FoundationNetworking may be imported in"),
        Planted(
            rule: .nothingIsReexported,
            project: .sound.adding("Modules/Data/Caching/All.swift", "/* all\n*/ @_exported public import GRDB\n"),
            finding: "Modules/Data/Caching/All.swift:2: @_exported import GRDB hides a dependency"),
        Planted(
            rule: .testableStaysInTests,
            project: .sound.adding("Apps/CLI/Peek.swift", "@testable import StrataDomain\n"),
            finding: "Apps/CLI/Peek.swift:1: @testable import StrataDomain exposes"),
    ]

    // MARK: - Edges

    private static let plantedEdges: [Planted] = [
        Planted(
            rule: .edgesFitTheLayers,
            project: .sound.changing("StrataService") { $0.uses.append("StrataCaching") },
            finding: "Package.swift:4: Illegal edge: StrataService (service) may not use StrataCaching (data)."),
        Planted(
            rule: .edgesFitTheLayers,
            project: .sound.changing("Buoys") { $0.uses.append("TidesDomain") },
            finding: "Package.swift:11: Illegal edge: Buoys (client) may not use TidesDomain (featureDomain)."),
        Planted(
            rule: .edgesFitTheLayers,
            project: .sound.changing("StrataDomain") { $0.products = ["Logging"] },
            finding: "Package.swift:2: Illegal edge: StrataDomain (domain) may not use the product Logging."),
        Planted(
            rule: .edgesFitTheLayers,
            project: .sound.changing("TidesData") { $0.uses.append("Nowhere") },
            finding: "Package.swift:7: Illegal edge: TidesData (featureData) may not use Nowhere (no such module)."),
        Planted(
            rule: .edgesFitTheLayers,
            project: .sound.changing("TidesData") { $0.path = "Sources/Tides" },
            finding: "Package.swift:7: TidesData is in 'Sources/Tides', which belongs to no layer."),
        Planted(
            rule: .edgesFormNoCycle,
            project: .sound.changing("StrataDomain") { $0.uses.append("StrataService") },
            finding: "Package.swift:4: StrataService depends on itself through StrataDomain.", count: 2),
        Planted(
            rule: .edgesAreUsed,
            project: .sound.changing("TidesData") { $0.uses.append("HarboursDomain") },
            finding: "Package.swift:7: TidesData declares HarboursDomain, which none of its files imports"),
        Planted(
            rule: .edgesAreUsed,
            project: .sound.changing("StrataService") { $0.products.append("Hummingbird") },
            finding: "Package.swift:4: StrataService declares Hummingbird, which none of its files imports"),
        Planted(
            rule: .featuresStayApart,
            project: .sound.changing("HarboursDomain") { $0.uses.append("TidesData") },
            finding: "Package.swift:6: HarboursDomain of the feature Harbours uses TidesData of the feature Tides"),
        Planted(
            rule: .servicesSeeWhatIsPublic,
            project: .sound.changing("TidesData") { $0.hasPackageAccess = true },
            finding: "Package.swift:7: TidesData is compiled with Strata's package name"),
        Planted(
            rule: .servicesSeeWhatIsPublic,
            project: .sound.changing("Buoys") { $0.hasPackageAccess = true },
            finding: "Package.swift:11: Buoys is compiled with Strata's package name"),
        Planted(
            rule: .filesBelongToTargets,
            project: .sound.adding("Modules/Features/Tides/API/Payload.swift", "import TidesDomain\n"),
            finding: "Modules/Features/Tides/API/Payload.swift:1: No target of Package.swift has this folder"),
        Planted(
            rule: .appsLinkTheirSideOnly,
            project: .sound.changing("StrataCaching") { $0.uses.append("StrataService") },
            finding: "Package.swift:8: tides links StrataService of 'Modules/Service/Core'"),
        Planted(
            rule: .appsLinkTheirSideOnly,
            project: .sound.changing("StrataService") { $0.uses.append("TidesData") },
            finding: "Package.swift:9: tides-server links TidesData of 'Modules/Features/Tides/Data'"),
        Planted(
            rule: .appsLinkTheirSideOnly,
            project: .sound.changing("StrataDomain") { $0.products.append("Hummingbird") },
            finding: "Package.swift:8: tides links the product Hummingbird"),
    ]

    // MARK: - Text

    private static let plantedTexts: [Planted] = [
        Planted(
            rule: .modulesDoNotPrint,
            project: .sound.adding("Modules/Domain/Debug.swift", "// print(1)\nfunc show() { print(\"tide\") }\n"),
            finding: "Modules/Domain/Debug.swift:2: print() bypasses the console"),
        Planted(
            rule: .modulesDoNotPrint,
            project: .sound.adding("Modules/Domain/Debug.swift", "console.print(1)\nSwift.print(1)\n"),
            finding: "Modules/Domain/Debug.swift:2: print() bypasses the console"),
        Planted(
            rule: .nothingCrashesOnPurpose,
            project: .sound.adding("Modules/Domain/Parse.swift", "let text = \"try! as!\"\nlet tide = try! parse()\n"),
            finding: "Modules/Domain/Parse.swift:2: try! ends the process"),
        Planted(
            rule: .nothingCrashesOnPurpose,
            project: .sound.adding("Apps/CLI/Cast.swift", "let name = \"\\(value as! String)\"\n"),
            finding: "Apps/CLI/Cast.swift:1: as! ends the process"),
        Planted(
            rule: .nothingCrashesOnPurpose,
            project: .sound.adding("Apps/Backend/Stop.swift", "\n\nfatalError(\"never\")\n"),
            finding: "Apps/Backend/Stop.swift:3: fatalError() ends the process"),
        Planted(
            rule: .endsOfTransactionsAreChecked,
            project: .sound.adding(
                "Modules/Service/Core/Undo.swift", "// try? run(\"COMMIT\")\ntry? run(\"ROLLBACK\")\n"),
            finding: "Modules/Service/Core/Undo.swift:2: try? hides a transaction that did not end with ROLLBACK;"),
        Planted(
            rule: .endsOfTransactionsAreChecked,
            project: .sound.adding("Modules/Service/Core/Keep.swift", "try? connection.run(\n    \"COMMIT\")\n"),
            finding: "Modules/Service/Core/Keep.swift:1: try? hides a transaction that did not end with COMMIT;"),
        Planted(
            rule: .systemCallsStayInTheirModule,
            project: .sound.adding(
                "Modules/Service/Core/Lock.swift", "// flock(1)\nlet isTaken = flock(descriptor, LOCK_EX) == 0\n"),
            finding: "Modules/Service/Core/Lock.swift:2: flock() is allowed in Modules/System/ only; take a FileLock"),
        Planted(
            rule: .systemCallsStayInTheirModule,
            project: .sound.adding("Apps/CLI/Start.swift", "if fcntl(0, F_GETFD) < 0 {}\n"),
            finding: "Apps/CLI/Start.swift:1: fcntl() is allowed in Modules/System/ only;"),
        Planted(
            rule: .systemCallsStayInTheirModule,
            project: .sound.adding("Modules/Domain/Move.swift", "file.rename(to: name)\n_ = rename(old, new)\n"),
            finding: "Modules/Domain/Move.swift:2: rename() is allowed in"),
        Planted(
            rule: .systemCallsStayInTheirModule,
            project: .sound.adding(
                "Modules/Service/Core/Tool.swift", "let tool = Process()\nposix_spawn(&id, path, nil, nil, nil, nil)\n"),
            finding: "Modules/Service/Core/Tool.swift:1: Process() is allowed in Modules/System/ only; run a Program",
            count: 2),
        Planted(
            rule: .platformIsChosenOnce,
            project: .sound.adding(
                "Modules/Service/Core/Files.swift", "#if canImport(Glibc)\n    import Glibc\n#endif\n"),
            finding:
                "Modules/Service/Core/Files.swift:1: Glibc is allowed in Modules/System/ only; import StrataSystem",
            count: 2),
        Planted(
            rule: .platformIsChosenOnce,
            project: .sound.adding("Apps/CLI/Exit.swift", "@preconcurrency import Glibc\n"),
            finding: "Apps/CLI/Exit.swift:1: Glibc is allowed in Modules/System/ only;"),
        Planted(
            rule: .uncheckedSendableIsProven,
            project: .sound.adding(
                "Modules/Domain/Box.swift",
                """
                // Sendable proof: `value` is assigned once.
                final class Sound: @unchecked Sendable {}



                final class Unsound: @unchecked Sendable {}
                """),
            finding: "Modules/Domain/Box.swift:6: @unchecked Sendable without a comment"),
    ]
}
