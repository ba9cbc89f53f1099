import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct JiraTests {
    private let site = "https://jira.example.com/rest/api/3"

    @Test func `an issue has the fields of its site`() async throws {
        let api = try Jira.api(
            .json(
                """
                {"id":"10002","key":"ED-1","fields":{"updated":1,"sub-tasks":[],\
                "timetracking":{"originalEstimate":"10m","originalEstimateSeconds":600}}}
                """))
        let issue = try await api.client.send(
            Jira.GetIssue(
                key: "ED-1", fields: ["summary", "comment"], expand: ["names", "changelog"], fieldsByKeys: false))
        #expect(issue.key == "ED-1")
        #expect(
            issue.fields == [
                "updated": 1, "sub-tasks": [],
                "timetracking": ["originalEstimate": "10m", "originalEstimateSeconds": 600],
            ])
        #expect(
            api.lines == [
                "GET \(site)/issue/ED-1?fields=summary&fields=comment&expand=names%2Cchangelog&fieldsByKeys=false"
            ])
        #expect(api.field("Authorization") == "Basic \(Data("mia@example.com:t-1".utf8).base64EncodedString())")
    }

    @Test func `an issue is created with fields of the site, and a refusal is read`() async throws {
        let api = try Jira.api(
            .json(#"{"id":"10000","key":"ED-24","self":"…","transition":{"status":200}}"#, status: 201),
            .json(#"{"errorMessages":["Field 'priority' is required"],"errors":{}}"#, status: 400))
        let fields: [String: JSONValue] = [
            "summary": "Main order flow broken", "project": ["id": "10000"], "labels": ["bugfix", "blitz_test"],
            "customfield_10000": "09/Jun/19", "fixVersions": [["id": "10001"]],
        ]
        let create = Jira.CreateIssue(updateHistory: true, issue: .init(fields: fields))
        #expect(try await api.client.send(create) == .init(id: "10000", key: "ED-24"))
        #expect(api.lines == ["POST \(site)/issue?updateHistory=true"])
        #expect(try api.json() == ["fields": .object(fields)])
        let refused = await api.bench.failure(of: create)
        #expect(
            refused.failure(of: Jira.CreateIssue.self)
                == .init(errorMessages: ["Field 'priority' is required"], errors: [:]))
    }

    @Test func `a comment is a document of nodes, with times of their own offset`() async throws {
        let document =
            #"{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"Lorem"}]}]}"#
        let api = try Jira.api(
            .json(
                """
                {"id":"10000","author":{"accountId":"5b10a2844c20165700ede21g","displayName":"Mia Krystof","active":false},\
                "body":\(document),"created":"2021-01-17T12:34:00.000+0000","updated":"2021-01-18T23:45:00.000+0000",\
                "visibility":{"type":"role","value":"Administrators","identifier":"Administrators"}}
                """, status: 201))
        let administrators = Jira.Visibility(type: "role", value: "Administrators", identifier: "Administrators")
        let comment = try await api.client.send(
            Jira.AddComment(key: "ED-1", comment: .init(body: .text("Lorem"), visibility: administrators)))
        #expect(
            comment
                == .init(
                    id: "10000", author: .init(accountId: "5b10a2844c20165700ede21g", displayName: "Mia Krystof"),
                    body: .text("Lorem"), created: try time("2021-01-17T12:34:00Z"),
                    updated: try time("2021-01-18T23:45:00Z"), visibility: administrators))
        #expect(api.lines == ["POST \(site)/issue/ED-1/comment"])
        let sent = try api.json().object
        #expect(sent?["body"] == (try JSONForm.asDeclared.decode(JSONValue.self, from: Data(document.utf8))))
        #expect(sent?["visibility"]?.object?["identifier"] == "Administrators")
    }

    @Test func `changes are read by offset, until the page that is the last`() async throws {
        func page(_ start: Int, id: Int, isLast: Bool) -> ScriptedTransport.Answer {
            .json(
                """
                {"maxResults":2,"startAt":\(start),"total":5,"isLast":\(isLast),"values":[{"id":"\(id)",\
                "created":"1970-01-18T06:27:50.429+0000","items":[{"field":"fields","fieldtype":"jira","from":null,\
                "fromString":"","to":null,"toString":"label-1"}]}]}
                """)
        }
        let api = try Jira.api(page(2, id: 10001, isLast: false), page(4, id: 10002, isLast: true))
        let list = Jira.ListChanges(key: "TT-1", startAt: 2, maxResults: 2)
        var changes: [Jira.Change] = []
        for try await page in api.client.pages(list, next: .number(\.startAt, by: 2, while: { !$0.isLast })) {
            changes += page.value.values
        }
        #expect(changes.map(\.id) == ["10001", "10002"])
        #expect(changes[0].created == (try time("1970-01-18T06:27:50.429Z")))
        #expect(changes[0].items == [.init(field: "fields", fromString: "", toString: "label-1")])
        #expect(
            api.lines == [
                "GET \(site)/issue/TT-1/changelog?startAt=2&maxResults=2",
                "GET \(site)/issue/TT-1/changelog?startAt=4&maxResults=2",
            ])
    }

    @Test func `an endpoint with other dates follows the URL in its body`() async throws {
        let api = try Jira.api(
            .json(
                """
                {"values":[{"worklogId":103,"updatedTime":1438013671562}],"since":1438013671562,"until":1438013693136,\
                "nextPage":"\(site)/worklog/updated?since=1438013693136","lastPage":false}
                """),
            .json(#"{"values":[{"worklogId":105,"updatedTime":1438013693136}],"until":1438013693136,"lastPage":true}"#))
        let since = Date(timeIntervalSince1970: 1_438_013_671.562)
        var logs: [Jira.UpdatedWorklogs.Worklog] = []
        let list = Jira.ListUpdatedWorklogs(since: since)
        for try await page in api.client.pages(list, next: .url { $0.next }) { logs += page.value.values }
        #expect(
            logs == [
                .init(worklogId: 103, updatedTime: since),
                .init(worklogId: 105, updatedTime: Date(timeIntervalSince1970: 1_438_013_693.136)),
            ])
        #expect(
            api.lines == [
                "GET \(site)/worklog/updated?since=1438013671562", "GET \(site)/worklog/updated?since=1438013693136",
            ])
    }

    @Test func `a version is sent and read`() async throws {
        let api = try Jira.api(
            .json(
                """
                {"id":"10000","description":"An excellent version","name":"New Version 1","archived":false,"released":true,\
                "releaseDate":"2010-07-06","userReleaseDate":"6/Jul/2010","projectId":10000}
                """, status: 201))
        var version = Jira.Version(
            name: "New Version 1", description: "An excellent version", projectId: 10000, released: true,
            releaseDate: "2010-07-06")
        let read = try await api.client.send(Jira.CreateVersion(version: version))
        #expect(
            try api.json() == [
                "name": "New Version 1", "description": "An excellent version", "projectId": 10000, "released": true,
                "releaseDate": "2010-07-06",
            ])
        version.id = "10000"
        #expect(read == version)
    }

    @Test func `writes without a response: null, a flag and a list`() async throws {
        let api = try Jira.api(.status(204), .status(204), .status(204), .status(202))
        let client = api.client
        _ = try await client.send(
            Jira.Assign(key: "ED-1", assignee: .init(accountId: .value("5b10ac8d82e05b22cc7d4ef5"))))
        _ = try await client.send(Jira.Assign(key: "ED-1", assignee: .init(accountId: .null)))
        _ = try await client.send(Jira.DeleteIssue(key: "ED-1", deleteSubtasks: true))
        _ = try await client.send(Jira.DeleteWebhooks(hooks: .init(webhookIds: [10000, 10001, 10042])))
        #expect(
            api.lines == [
                "PUT \(site)/issue/ED-1/assignee", "PUT \(site)/issue/ED-1/assignee",
                "DELETE \(site)/issue/ED-1?deleteSubtasks=true", "DELETE \(site)/webhook",
            ])
        #expect(try api.json(0) == ["accountId": "5b10ac8d82e05b22cc7d4ef5"])
        #expect(try api.json(1) == ["accountId": .null])
        #expect(try api.json(3) == ["webhookIds": [10000, 10001, 10042]])
    }

    @Test func `a task is asked for until it is complete`() async throws {
        func task(_ status: String, _ rest: String) -> ScriptedTransport.Answer {
            .json(#"{"id":"1","status":"\#(status)","submitted":1657876788809,\#(rest)}"#)
        }
        let api = try Jira.api(
            task("RUNNING", #""progress":40"#),
            task(
                "COMPLETE", #""progress":100,"finished":1657876789029,"result":"the task result, this may be any JSON""#
            ))
        let (client, clock) = (api.client, api.bench.clock)
        async let done = client.poll(Jira.GetTask(id: "1"), until: { $0.value.status.known != .running })
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(
            try await done.value
                == .init(
                    id: "1", status: .known(.complete), progress: 100,
                    submitted: Date(timeIntervalSince1970: 1_657_876_788.809),
                    finished: Date(timeIntervalSince1970: 1_657_876_789.029),
                    result: "the task result, this may be any JSON"))
        #expect(api.lines == ["GET \(site)/task/1", "GET \(site)/task/1"])
    }

    @Test func `an attachment is a form with a field of its own in the head`() async throws {
        let api = try Jira.api(
            .json(
                """
                [{"id":"10001","filename":"picture.jpg","created":"2022-07-15T09:19:46.951+0000","size":23123,\
                "mimeType":"image/jpeg"}]
                """))
        let form = MultipartForm([
            .file("file", named: "picture.jpg", .bytes(Data("jpeg".utf8), contentType: "image/jpeg"))
        ])
        let added = try await api.client.upload(
            Jira.AddAttachment(key: "TEST-123"), body: form.body(boundary: "b"), options: CallOptions()
        ).value
        #expect(
            added == [
                .init(id: "10001", filename: "picture.jpg", created: try time("2022-07-15T09:19:46.951Z"), size: 23123)
            ])
        #expect(api.lines == ["POST \(site)/issue/TEST-123/attachments"])
        #expect(api.field("X-Atlassian-Token") == "no-check")
    }
}
