import Testing

@testable import ScaffoldKit

/// Which names a feature may bear, and what is said about those it may not.
@Suite struct NameMatrixTests {
    private func add(_ name: String, plural: String? = nil, fields: String = "title:string") throws -> AddFeature {
        try AddFeature(
            AddFeature.Request(name: name, plural: plural, fields: fields), to: SourceTree(MemoryFileSystem.sample()),
            renderer: SmallRenderer())
    }

    @Test(arguments: [
        "Incident", "IncidentReport", "Order", "Note", "Actorship", "Document", "Member", "Bag", "Process", "Host",
        "Operation", "Thread", "Notification", "Event", "Status", "Entry", "Group", "Index", "Key", "State", "Language",
        "Phase2Plan", "HTTPCheck", "Address", "Company", "Person", "Handover", "Escalation", "Measurement",
        "Certificate", "Host2", "Timeline", "Deployment", "Invoice", "Customer", "Shift", "Rota", "Machine", "Token",
        "Session", "User", "Message", "Label", "Folder",
    ])
    func `is accepted`(name: String) throws {
        let added = try add(name)

        #expect(added.spec.name.upperCamel == name)
        #expect(!added.plan.isEmpty)
    }

    @Test(arguments: [
        // Words and types of Swift.
        ("Self", "Swift"), ("Any", "Swift"), ("Type", "Swift"), ("Protocol", "Swift"), ("Class", "Swift"),
        ("Never", "Swift"), ("Case", "keyword"), ("Import", "keyword"), ("Default", "keyword"),
        ("Extension", "keyword"),
        ("Operator", "keyword"), ("Struct", "keyword"), ("Switch", "keyword"), ("Return", "keyword"),
        ("Date", "a type of Swift"), ("String", "a type of Swift"), ("Sendable", "a type of Swift"),
        ("Codable", "a type of Swift"), ("Identifiable", "a type of Swift"), ("UUID", "a type of Swift"),
        ("Task", "a type of Swift"), ("Error", "a type of Swift"), ("Result", "a type of Swift"),
        ("Data", "a type of Swift"), ("URL", "a type of Swift"), ("Int", "a type of Swift"),
        ("Bool", "a type of Swift"),
        ("Array", "a type of Swift"), ("Set", "a type of Swift"), ("Optional", "a type of Swift"),
        ("Duration", "a type of Swift"), ("Clock", "a type of Swift"), ("Range", "a type of Swift"),
        ("Sequence", "a type of Swift"), ("Character", "a type of Swift"), ("Mirror", "a type of Swift"),
        ("Actor", "a type of Swift"), ("Locale", "a type of Swift"), ("Calendar", "a type of Swift"),
        // Types of modules that the feature imports.
        ("Row", "GRDB"), ("Column", "GRDB"), ("Database", "GRDB"), ("Table", "GRDB"), ("Comment", "Testing"),
        ("Tag", "Testing"), ("Issue", "Testing"), ("Trait", "Testing"), ("Argument", "ArgumentParser"),
        ("Option", "ArgumentParser"), ("Flag", "ArgumentParser"),
        // Types, features, addresses, commands and tables of the repository.
        ("Runbook", "feature 'Runbooks'"), ("RUNBOOK", "feature 'Runbooks'"), ("Console", "Groups.swift"),
        ("SyncGroup", "Groups.swift"), ("Outbox", "the command 'outboxes'"), ("HostToken", "'/v1/host-tokens'"),
        ("AppMember", "the table 'app_member'"), ("Metric", "'/v1/metrics'"),
        // Words of SQL.
        ("Value", "reserved word of SQL"), ("Reference", "reserved word of SQL"),
        // Shape.
        ("incident", "'Incident'"), ("incident-report", "'IncidentReport'"), ("incident report", "'IncidentReport'"),
        ("2Fast", "'Fast'"), ("_Hidden", "'Hidden'"), ("Incident!", "'Incident'"), ("Inc\u{456}dent", "\\u{456}"),
        ("", "empty"), ("A", "too short"), ("Ab", "too short"), ("News", "--plural NewsItems"),
        (String(repeating: "Long", count: 11), "44 bytes"), (String(repeating: "A", count: 300), "300 bytes"),
        // Hostile.
        ("../x", "letters and digits"), ("/etc/passwd", "letters and digits"), ("Inc/ident", "letters and digits"),
        ("Inc\"ident", "letters and digits"), ("Inc'ident", "letters and digits"), ("$(touch x)", "letters and digits"),
        ("`id`", "letters and digits"), ("Inc\nident", "\\u{a}"), ("Inc\u{0}ident", "\\u{0}"), ("--force", "'Force'"),
        ("Inc;rm", "letters and digits"), ("\u{202E}tnedicnI", "\\u{202e}"), ("İncident", "\\u{130}"),
    ])
    func `is refused, with the reason and a name that is accepted`(name: String, reason: String) throws {
        let message = refusal { _ = try add(name) }

        #expect(message.contains(reason), "\(message)")
        #expect(message.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 >= 0x80 }, "\(message)")
        guard !message.contains("--plural") else { return }
        let other = try #require(message.split(separator: "'").last { $0.first?.isUppercase == true }, "\(message)")
        #expect(throws: Never.self, "\(message)") { try add(String(other)) }
    }

    @Test func `a type that others do not see and a table in a comment take no name`() throws {
        #expect(throws: Never.self) { try add("InnerThing") }
        #expect(throws: Never.self) { try add("HiddenThing") }
        #expect(throws: Never.self) { try add("CommentOnly") }
    }

    @Test(arguments: [
        ("Incident", "Incident", "another word"), ("Incident", "incidents", "'Incidents'"),
        ("Incident", "INCIDENT", "another word"), ("Incident", "Runbooks", "feature 'Runbooks'"),
        ("Incident", "../x", "'Incidents'"), ("Incident", "", "empty"), ("Incident", "Sets", ""),
        ("Incident", "Strings", ""), ("Incident", "Data", "a type of Swift"), ("Incident", "Metrics", "/v1/metrics"),
        ("Incident", "Backend", "BackendTests"), ("Incident", "StrataIncidents", "start with 'Strata'"),
    ])
    func `a plural is held to the same`(name: String, plural: String, reason: String) {
        let message = refusal { _ = try add(name, plural: plural) }

        #expect(reason.isEmpty ? message.isEmpty : message.contains(reason), "\(message)")
    }

    @Test(arguments: ["News", "Equipment", "Series"])
    func `a word without a plural is accepted with one`(name: String) throws {
        #expect(try add(name, plural: "\(name)Items").spec.module == "\(name)Items")
    }

    @Test(arguments: [
        ("id:uuid", "every item has"), ("version:int", "every item has"), ("updatedAt:date", "every item has"),
        ("syncState:text", "every item has"), ("options:text", "the generated code uses"),
        ("sample:text", "the generated code uses"), ("entityTag:text", "every item has"),
        ("run:bool", "the generated code uses"), ("userID:text", "'userId'"), ("aURL:url", "'aurl'"),
        ("level:enum(allCases,low)", "'allCases'"), ("level:enum(rawValue,low)", "'rawValue'"),
        ("hashValue:int", "every item has"), ("description:text", "every item has"), ("self:text", "every item has"),
        ("default:bool", "keyword"), ("class:string", "keyword"), ("in:text", "keyword"), ("repeat:bool", "keyword"),
        ("order:int", "reserved word of SQL"), ("group:string", "reserved word of SQL"), ("to:string", "reserved word"),
        ("select:string", "reserved word of SQL"), ("references:string", "reserved word of SQL"),
        ("server:string", "--server"), ("json:bool", "--json"), ("timeout:double", "--timeout"),
        ("refresh:bool", "--refresh"), ("incident:text", "the feature itself"),
        ("level:enum(default,low)", "'default'"),
        ("level:enum(none,low)", "'none'"), ("string:enum(a,b)", "a type 'String'"), ("url:enum(a,b)", "a type 'Url'"),
        ("date:enum(a,b)", "a type 'Date'"), ("runbook:reference(Nothing)", "no feature has; there are 'Runbook'"),
        ("runbook:reference(Runbooks)", "reference(Runbook)"), ("parent:reference(Incident)?", "parent:uuid?"),
    ])
    func `a field that cannot be is refused, with a way out`(fields: String, reason: String) {
        let message = refusal { _ = try add("Incident", fields: fields) }

        // `Url` is no type of anybody's.
        if fields.hasPrefix("url:") { return #expect(message.isEmpty, "\(message)") }
        #expect(message.contains(reason), "\(message)")
        #expect(message.contains("Use "), "\(message)")
    }

    @Test(arguments: [
        "orderNumber:int", "host:string", "severity:enum(low,high)", "key:string", "status:enum(open,shut)",
        "url:url", "date:date", "text:text", "count:int", "runbook:reference(Runbook)?", "name:string:unique:redact",
    ])
    func `a common field is accepted`(fields: String) throws {
        #expect(throws: Never.self) { try add("Incident", fields: fields) }
    }

    @Test func `a feature needs a field`() {
        #expect(refusal { _ = try add("Incident", fields: " ") }.contains("--fields 'title:string(1..200)'"))
    }

    @Test func `what this repository has taken is found`() throws {
        let names = try RepositoryNames(SourceTree(LocalFileSystem(root: repositoryRoot)))

        #expect(names.types.count > 400)
        #expect(names.types["Console"]?.path.description.contains("Modules/Terminal/") == true)
        #expect(names.features.isSuperset(of: ["Accounts", "Specimens"]))
        #expect(names.routes.isSuperset(of: ["users", "sync", "me"]))
        #expect(names.commands.isSuperset(of: ["users", "sync", "doctor"]))
        #expect(names.tables.isSuperset(of: ["app_user", "outbox", "specimens"]))
        #expect(names.entities.contains(FeatureReference(entity: "User", module: "Accounts")))
        #expect(names.entities.contains(FeatureReference(entity: "Specimen", module: "Specimens")))
    }
}
