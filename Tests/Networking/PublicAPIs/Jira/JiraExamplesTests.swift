import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Each operation with the examples of the document, unabridged: the request that is sent, and the response that is read.
struct JiraExamplesTests {
    private let issues = Result { try DocumentExamples("jira-issues") }
    private let others = Result { try DocumentExamples("jira") }
    private let milliseconds = JSONForm.asDeclared(dates: .millisecondsSince1970)

    private func expect<E: Endpoint>(
        _ endpoint: E, reads example: JSONValue, as form: JSONForm = .asDeclared,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> PublicAPI where E.Response: Encodable {
        let api = try Jira.api()
        try await DocumentExamples.expect(
            endpoint, reads: example, from: api, as: form, name: { $0 }, sourceLocation: sourceLocation)
        return api
    }

    /// Expects that every value of the request's body is that of the example.
    private func expect(_ api: PublicAPI, sent example: JSONValue) throws {
        #expect(DocumentExamples.differences(try api.json(), example, at: "") == [])
    }

    private func decode<Body: Decodable>(_ type: Body.Type, from example: JSONValue) throws -> Body {
        try JSONForm.asDeclared.decode(type, from: Data(DocumentExamples.text(example).utf8))
    }

    @Test func `an issue of the document is read with every field, and created with every field`() async throws {
        let issues = try issues.get()
        _ = try await expect(Jira.GetIssue(key: "ED-1"), reads: issues.example("GetIssue", "200"))
        let request = try issues.example("CreateIssue", "request")
        let draft = try decode(Jira.CreateIssue.Draft.self, from: request)
        let api = try await expect(Jira.CreateIssue(issue: draft), reads: issues.example("CreateIssue", "201"))
        try expect(api, sent: request)
        #expect(draft.fields.count == request.object?["fields"]?.object?.count)

        api.bench.transport.append(.json(try DocumentExamples.text(issues.example("CreateIssue", "400")), status: 400))
        let refused = await api.bench.failure(of: Jira.CreateIssue(issue: draft))
        let failure = try #require(refused.failure(of: Jira.CreateIssue.self))
        try DocumentExamples.expect(failure, is: issues.example("CreateIssue", "400"), as: .asDeclared) { $0 }
    }

    @Test func `a comment and a version of the document are sent and read whole`() async throws {
        let others = try others.get()
        let comment = try others.example("AddComment", "request")
        let draft = try decode(Jira.AddComment.Draft.self, from: comment)
        var api = try await expect(
            Jira.AddComment(key: "ED-1", comment: draft), reads: others.example("AddComment", "201"))
        try expect(api, sent: comment)

        let request = try others.example("CreateVersion", "request")
        let version = try decode(Jira.Version.self, from: request)
        api = try await expect(Jira.CreateVersion(version: version), reads: others.example("CreateVersion", "201"))
        try expect(api, sent: request)
    }

    @Test func `lists, tasks and attachments of the document are read whole`() async throws {
        let others = try others.get()
        _ = try await expect(Jira.ListChanges(key: "TT-1"), reads: others.example("ListChanges", "200"))
        _ = try await expect(
            Jira.ListUpdatedWorklogs(), reads: others.example("ListUpdatedWorklogs", "200"), as: milliseconds)
        _ = try await expect(Jira.GetTask(id: "1"), reads: others.example("GetTask", "200"), as: milliseconds)
        _ = try await expect(Jira.AddAttachment(key: "TEST-123"), reads: others.example("AddAttachment", "200"))
    }

    @Test func `requests of the document without a response are sent whole`() async throws {
        let others = try others.get()
        let api = try Jira.api(.status(204))
        let assignee = try others.example("Assign", "request")
        let id = try #require(assignee.object?["accountId"]?.string)
        _ = try await api.client.send(Jira.Assign(key: "ED-1", assignee: .init(accountId: .value(id))))
        try expect(api, sent: assignee)

        let hooks = try Jira.api(.status(202))
        let request = try others.example("DeleteWebhooks", "request")
        _ = try await hooks.client.send(
            Jira.DeleteWebhooks(
                hooks: decode(Jira.DeleteWebhooks.Ids.self, from: request)))
        try expect(hooks, sent: request)
    }
}
