import Testing

@testable import ScaffoldKit

/// Names in every way the code writes them.
@Suite struct SpellingTests {
    @Test(arguments: [
        ("Incident", "incident", "incident", "incident", "incident"),
        ("IncidentReport", "incidentReport", "incident_report", "incident-report", "incident report"),
        ("HTTPCheck", "httpCheck", "http_check", "http-check", "http check"),
        ("URL", "url", "url", "url", "url"),
        ("Phase2Plan", "phase2Plan", "phase2_plan", "phase2-plan", "phase2 plan"),
    ])
    func `a name is spelled for each place`(
        name: String, lowerCamel: String, snake: String, kebab: String, spoken: String
    ) {
        let spelling = Spelling(name)

        #expect(spelling.lowerCamel == lowerCamel)
        #expect(spelling.snake == snake)
        #expect(spelling.kebab == kebab)
        #expect(spelling.spoken == spoken)
    }

    @Test(arguments: [
        ("Incident", "Incidents"), ("Policy", "Policies"), ("Day", "Days"), ("StatusCheck", "StatusChecks"),
        ("Address", "Addresses"), ("Box", "Boxes"), ("Batch", "Batches"), ("Analysis", "Analyses"),
        ("ContactPerson", "ContactPeople"), ("Person", "People"), ("Child", "Children"),
    ])
    func `the plural is an English one`(name: String, plural: String) {
        #expect(Plural.of(Spelling(name)) == plural)
    }

    @Test(arguments: ["News", "Series", "Equipment"])
    func `a word without a plural has none`(name: String) {
        #expect(Plural.of(Spelling(name)) == nil)
    }
}
