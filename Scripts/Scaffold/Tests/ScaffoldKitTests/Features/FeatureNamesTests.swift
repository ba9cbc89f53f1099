import Testing

@testable import ScaffoldKit

struct FeatureNamesTests {
    private func add(_ name: String, plural: String? = nil, fields: String = "title:string") throws -> AddFeature {
        try AddFeature(
            AddFeature.Request(name: name, plural: plural, fields: fields), in: SourceTree(MemoryFileSystem.sample()))
    }

    @Test(arguments: ["Incident", "IncidentReport", "Note", "Process", "Phase2Plan", "HTTPCheck", "Person", "Machine"])
    func `a plain name is accepted`(name: String) throws { #expect(try !add(name).plan.isEmpty) }

    @Test(arguments: [
        ("incident", "'Incident'"), ("incident-report", "'IncidentReport'"), ("2Fast", "'Fast'"),
        ("Incident!", "'Incident'"),
        ("Inc\u{456}dent", "\\u{456}"), ("", "no name"), ("Ab", "no name"),
        (String(repeating: "A", count: 41), "3 to 40"),
        ("Import", "keyword"), ("Default", "keyword"), ("Session", "the command 'sessions'"),
        ("User", "the command 'users'"),
        ("Value", "reserved word of SQL"), ("Runbook", "feature 'Runbooks'"), ("RUNBOOK", "feature 'Runbooks'"),
        ("Account", "feature 'Accounts'"), ("Specimen", "feature 'Specimens'"), ("News", "--plural NewsItems"),
    ])
    func `a name that cannot be is refused with a reason and a next step`(name: String, reason: String) {
        let message = refusal { _ = try add(name) }
        #expect(message.contains(reason), "\(message)")
        #expect(message.lowercased().contains("use "), "\(message)")
    }

    @Test(arguments: ["String", "Int", "Entity", "Date", "URL", "UUID", "Void", "Ownership", "Stored"])
    func `a name that the sources of each feature use is refused`(name: String) {
        let message = refusal { _ = try add(name) }
        #expect(message.contains("'\(name)' is a type") && message.contains("'\(name)Record'"), "\(message)")
    }

    @Test(arguments: [
        ("Principal", "StrataService has"), ("Store", "StrataService has"), ("Network", "the command line has"),
        ("Main", "the command line has"),
    ])
    func `a type that a list of features or a backend part sees is refused`(name: String, owner: String) throws {
        let tree = SourceTree(try LocalFileSystem(root: repositoryRoot))
        let message = refusal { try TakenTypes(strata: tree, tree: tree).check(name) }
        #expect(message.contains("'\(name)' is a type that \(owner)"), "\(message)")
    }

    @Test(arguments: [
        "Task", "Issue", "Comment", "Tag", "Attachment", "Event", "Report", "Order", "Networks", "Principle",
        "Dispatcher",
    ])
    func `a type of Swift, of its tests or of no other source is accepted`(name: String) throws {
        let tree = SourceTree(try LocalFileSystem(root: repositoryRoot))
        #expect(refusal { try TakenTypes(strata: tree, tree: tree).check(name) }.isEmpty)
    }

    @Test(arguments: ["Tides", "tides", "TidesAPI"])
    func `a feature whose module or tests would be called like a client is refused`(client: String) throws {
        let files = MemoryFileSystem.sample()
        files.edit(try RelativePath("Modules/Clients/\(client)/TidesClient.swift"), "")
        let request = AddFeature.Request(name: "Tide")
        let message = refusal { _ = try AddFeature(request, in: SourceTree(files)) }
        #expect(message.contains("there is a client '\(client)'") && message.contains("'TideRecord'"), "\(message)")
    }

    @Test func `a plural is another word`() throws {
        #expect(refusal { _ = try add("Incident", plural: "INCIDENT") }.contains("another word"))
        #expect(try add("News", plural: "NewsItems").spec.module == "NewsItems")
    }

    @Test(arguments: [
        ("id:uuid", "every entity has"), ("author:text", "every entity has"), ("userID:text", "'userId'"),
        ("default:bool", "keyword"), ("order:int", "reserved word of SQL"), ("server:string", "--server"),
        ("limit:int", "reserved word"), ("nothing:bool", "reserved word of SQL"), ("xmin:int", "reserved word of SQL"),
        ("collation:string", "reserved word of SQL"), ("createdAt:date", "every entity has"),
        ("content:text", "every entity has"), ("entityTag:string", "every entity has"),
        ("level:enum(low,fieldKind)", "'fieldKind'"), ("throws:bool", "keyword"), ("search:text", "--search"),
        ("level:enum(default,low)", "'default'"),
        ("type:enum(a,b)", "a type 'Type'"),
        ("runbook:reference(Nothing)", "no feature has a file 'Domain/Nothing.swift'"),
        ("parent:reference(Incident)?", "parent"), (" ", "--fields 'title:string(1..200)'"),
    ])
    func `a field that cannot be is refused with a next step`(fields: String, reason: String) {
        let error = #expect(throws: ScaffoldRefusal.self) { try add("Incident", fields: fields) }
        let message = error?.description ?? ""
        #expect(message.lowercased().contains(reason.lowercased()) || reason == "parent", "\(message)")
        #expect(message.contains("Use ") || message.contains("write"), "\(message)")
        #expect(error?.exitCode == .usage)
    }
}
