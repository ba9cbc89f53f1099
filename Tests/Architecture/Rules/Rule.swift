import Testing

/// One rule of the architecture. It examines every place of its kind and reports violations.
struct Rule: Sendable, CustomTestStringConvertible {
    /// The rule as a sentence.
    let name: String
    /// The least number of places in a correct tree, including that of a service with accounts only. A rule that examines fewer
    /// no longer recognises them.
    let minimum: Int
    let inspect: @Sendable (Project, inout Inspection) -> Void

    func callAsFunction(_ project: Project) -> Inspection {
        var inspection = Inspection()
        inspect(project, &inspection)
        return inspection
    }

    var testDescription: String { name }

    static let all: [Rule] = [
        .importsFitTheLayer, .importsAreDeclared, .edgesFitTheLayers, .edgesFormNoCycle, .edgesAreUsed,
        .featuresStayApart, .servicesSeeWhatIsPublic, .filesBelongToTargets, .appsLinkTheirSideOnly,
        .foundationNetworkingStaysInItsTransport, .nothingIsReexported, .testableStaysInTests, .modulesDoNotPrint,
        .nothingCrashesOnPurpose, .endsOfTransactionsAreChecked, .systemCallsStayInTheirModule, .platformIsChosenOnce,
        .uncheckedSendableIsProven,
    ]
}

/// The number of places that a rule examined, and its violations.
struct Inspection: Sendable {
    private(set) var examined = 0
    private(set) var violations: [Violation] = []

    mutating func examine(_ count: Int = 1) { examined += count }

    mutating func report(_ path: String, _ line: Int, _ sentence: String) {
        violations.append(Violation(path: path, line: line, sentence: sentence))
    }
}

/// A violation of a rule. Editors turn its description into a link.
struct Violation: Sendable, Hashable, CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    let sentence: String

    var description: String { "\(path):\(line): \(sentence)" }
}
