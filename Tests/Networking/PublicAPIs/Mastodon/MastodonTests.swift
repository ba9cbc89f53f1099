import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct MastodonTests {
    private let account = """
        {"id":"1","username":"Gargron","acct":"Gargron","display_name":"Eugen","locked":false,\
        "created_at":"2016-03-16T14:34:26.392Z","followers_count":318699,"last_status_at":"2019-11-30T20:02:08.277Z",\
        "fields":[{"name":"Patreon","verified_at":null},{"name":"Homepage","verified_at":"2019-07-15T18:29:57.191+00:00"}]}
        """

    @Test func `an account is read, with the token of the client`() async throws {
        let api = try Mastodon.api(.json(account))
        let read = try await api.client.send(Mastodon.GetAccount(id: "1"))
        #expect(
            read
                == Mastodon.Account(
                    id: "1", username: "Gargron", acct: "Gargron", displayName: "Eugen",
                    createdAt: try time("2016-03-16T14:34:26.392Z"),
                    lastStatusAt: try time("2019-11-30T20:02:08.277Z"),
                    followersCount: 318_699,
                    fields: [
                        .init(name: "Patreon"),
                        .init(name: "Homepage", verifiedAt: try time("2019-07-15T18:29:57.191Z")),
                    ]))
        #expect(api.lines == ["GET https://mastodon.example/api/v1/accounts/1"])
        #expect(api.field("Authorization") == "Bearer t-1")
    }

    @Test func `a follow sends what it states and leaves out the rest`() async throws {
        let api = try Mastodon.api(
            .json(#"{"id":"3","following":false,"muting_notifications":false,"blocking":true,"followed_by":false}"#))
        let relationship = try await api.client.send(
            Mastodon.FollowAccount(id: "3", follow: .init(notify: true, languages: ["en", "de"])))
        #expect(relationship == .init(id: "3", following: false, mutingNotifications: false, blocking: true))
        #expect(api.lines == ["POST https://mastodon.example/api/v1/accounts/3/follow"])
        #expect(try api.json() == ["notify": true, "languages": ["en", "de"]])
        #expect(api.field("Content-Type") == "application/json")
    }

    @Test func `followers are read over the pages of Link`() async throws {
        let link = """
            <https://mastodon.example/api/v1/accounts/1/followers?limit=2&max_id=7163058>; rel="next", \
            <https://mastodon.example/api/v1/accounts/1/followers?limit=2&since_id=7275607>; rel="prev"
            """
        let api = try Mastodon.api(.json("[\(account)]", headers: ["Link": link]), .json("[\(account)]"))
        var names: [String] = []
        for try await page in api.client.pages(Mastodon.ListFollowers(id: "1", limit: 2), next: .link) {
            names += page.value.map(\.acct)
        }
        #expect(names == ["Gargron", "Gargron"])
        let list = "GET https://mastodon.example/api/v1/accounts/1/followers?limit=2"
        #expect(api.lines == [list, "\(list)&max_id=7163058"])
        #expect(api.field("Authorization", 1) == "Bearer t-1")
    }

    @Test func `notifications are asked for by types, and an unknown type is kept`() async throws {
        let api = try Mastodon.api(
            .json(
                """
                [{"id":"34975861","type":"mention","created_at":"2019-11-23T07:49:02.064Z",\
                "account":{"id":"971724","username":"zsc","acct":"zsc"},"status":{"id":"103186126728896492",\
                "created_at":"2019-11-23T07:49:01.940Z","in_reply_to_id":"103186038209478945"}},\
                {"id":"34975535","type":"quoted_update","created_at":"2019-11-23T07:29:18.903Z",\
                "account":{"id":"297420","username":"haskal","acct":"haskal@cybre.space"}}]
                """))
        let list = try await api.client.send(
            Mastodon.ListNotifications(
                types: [.mention, .followRequest], excludeTypes: [.signUp], includeFiltered: true))
        #expect(list.map(\.type) == [.known(.mention), .unknown("quoted_update")])
        #expect(list[0].status?.inReplyToId == "103186038209478945")
        #expect(list[1].account.acct == "haskal@cybre.space")
        #expect(list[1].createdAt == (try time("2019-11-23T07:29:18.903Z")))
        #expect(
            api.lines == [
                "GET https://mastodon.example/api/v1/notifications?types%5B%5D=mention&types%5B%5D=follow_request"
                    + "&exclude_types%5B%5D=admin.sign_up&include_filtered=true"
            ])
    }

    @Test func `a status with a poll is posted once for its key`() async throws {
        let api = try Mastodon.api(
            .json(
                """
                {"id":"103254962155278888","created_at":"2019-12-05T11:34:47.196Z","content":"<p>test content</p>",\
                "application":{"name":"test app","website":null}}
                """))
        let status = try await api.client.send(
            Mastodon.PostStatus(
                draft: .init(
                    status: "test content", visibility: .private,
                    poll: .init(options: ["accept", "deny"], expiresIn: 3600))),
            options: CallOptions(idempotencyKey: "k-7"))
        #expect(
            status
                == .init(
                    id: "103254962155278888", createdAt: try time("2019-12-05T11:34:47.196Z"),
                    content: "<p>test content</p>", application: .init(name: "test app")))
        #expect(api.lines == ["POST https://mastodon.example/api/v1/statuses"])
        #expect(api.field("Idempotency-Key") == "k-7")
        #expect(
            try api.json() == [
                "status": "test content", "visibility": "private",
                "poll": ["options": ["accept", "deny"], "expires_in": 3600, "multiple": false, "hide_totals": false],
            ])
    }

    @Test func `deletions have a query or a body, and no response is read`() async throws {
        let api = try Mastodon.api(.json(#"{"id":"108880211901672326"}"#), .status(200))
        _ = try await api.client.send(Mastodon.DeleteStatus(id: "108880211901672326", deleteMedia: true))
        _ = try await api.client.send(Mastodon.UnblockDomain(block: .init(domain: "spam.example")))
        #expect(
            api.lines == [
                "DELETE https://mastodon.example/api/v1/statuses/108880211901672326?delete_media=true",
                "DELETE https://mastodon.example/api/v1/domain_blocks",
            ])
        #expect(try api.json(1) == ["domain": "spam.example"])
    }

    @Test func `the timeline of a tag takes other tags, percent-encoded`() async throws {
        let api = try Mastodon.api(
            .json(
                """
                [{"id":"108880211901672326","created_at":"2022-08-24T22:29:46.493Z","in_reply_to_id":"108880209317577809",\
                "sensitive":false}]
                """))
        let statuses = try await api.client.send(Mastodon.TagTimeline(hashtag: "café", any: ["cats", "dogs & co"]))
        #expect(
            statuses == [
                .init(
                    id: "108880211901672326", createdAt: try time("2022-08-24T22:29:46.493Z"),
                    inReplyToId: "108880209317577809")
            ])
        #expect(
            api.lines == [
                "GET https://mastodon.example/api/v1/timelines/tag/caf%C3%A9?any%5B%5D=cats&any%5B%5D=dogs%20%26%20co"
            ])
    }

    @Test func `markers are a dictionary in both directions`() async throws {
        let api = try Mastodon.api(
            .json(
                """
                {"home":{"last_read_id":"103194548672408537","version":462,"updated_at":"2019-11-24T19:39:39.337Z"}}
                """))
        let markers = try await api.client.send(
            Mastodon.SaveMarkers(markers: ["home": .init(lastReadId: "103194548672408537")]))
        #expect(
            markers == [
                "home": .init(
                    lastReadId: "103194548672408537", version: 462, updatedAt: try time("2019-11-24T19:39:39.337Z"))
            ])
        #expect(try api.json() == ["home": ["last_read_id": "103194548672408537"]])
    }

    @Test func `a search finds three kinds`() async throws {
        let api = try Mastodon.api(
            .json(
                """
                {"accounts":[{"id":"180744","username":"catstar","acct":"catstar@catgram.jp","display_name":"catstar"}],\
                "statuses":[{"id":"103085519055545958","created_at":"2019-11-05T13:23:09.000Z",\
                "content":"<p>cats<br>cats never change</p>"}],"hashtags":[{"id":"205","name":"cats",\
                "history":[{"day":"1574553600","uses":"10","accounts":"9"}]}]}
                """))
        let found = try await api.client.send(Mastodon.Search(q: "cats", type: .hashtags))
        #expect(found.accounts.map(\.acct) == ["catstar@catgram.jp"])
        #expect(found.statuses.map(\.createdAt) == [try time("2019-11-05T13:23:09Z")])
        #expect(
            found.hashtags == [
                .init(id: "205", name: "cats", history: [.init(day: "1574553600", uses: "10", accounts: "9")])
            ])
        #expect(api.lines == ["GET https://mastodon.example/api/v2/search?q=cats&type=hashtags&resolve=false"])
    }

    @Test func `media is uploaded as a form, and asked for until it is processed`() async throws {
        let id = #""id":"22348641","type":"image""#
        let meta = #""meta":{"focus":{"x":-0.69,"y":0.42}}"#
        let url = "https://files.example.com/media_attachments/22348641.jpeg"
        let api = try Mastodon.api(
            .json("{\(id),\"url\":null,\(meta)}", status: 202), .status(206),
            .json("{\(id),\"url\":\"\(url)\",\(meta)}"))
        let form = MultipartForm([
            .field("description", "test uploaded via api"),
            .file("file", named: "a.jpeg", .bytes(Data("jpeg".utf8), contentType: "image/jpeg")),
        ])
        let accepted = try await api.client.upload(
            Mastodon.UploadMedia(), body: form.body(boundary: "b"), options: CallOptions())
        #expect(accepted.head.status == 202)
        #expect(
            accepted.value
                == .init(id: "22348641", type: "image", url: nil, meta: .init(focus: .init(x: -0.69, y: 0.42))))
        #expect(api.field("Content-Type") == "multipart/form-data; boundary=b")

        let (client, clock) = (api.client, api.bench.clock)
        async let processed = client.poll(Mastodon.GetMedia(id: "22348641"), until: { $0.head.status != 206 })
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await processed.value?.url == url)
        #expect(
            api.lines == [
                "POST https://mastodon.example/api/v2/media", "GET https://mastodon.example/api/v1/media/22348641",
                "GET https://mastodon.example/api/v1/media/22348641",
            ])
    }

    @Test func `failures are read in the form of the API`() async throws {
        let api = try Mastodon.api(
            .json(#"{"error":"The access token is invalid"}"#, status: 401),
            .json(
                """
                {"error":"Validation failed: Password can't be blank",\
                "details":{"password":[{"error":"ERR_BLANK","description":"can't be blank"}]}}
                """, status: 422),
            .json(
                #"{"error":"Too many requests"}"#, status: 429,
                headers: ["X-RateLimit-Limit": "300", "X-RateLimit-Remaining": "0"]))
        let post = Mastodon.PostStatus(draft: .init(status: ""))
        let refused = await api.bench.failure(of: post)
        #expect(refused.failure(of: Mastodon.PostStatus.self) == .init(error: "The access token is invalid"))
        let invalid = await api.bench.failure(of: post)
        #expect(
            invalid.failure(of: Mastodon.PostStatus.self)?.details == [
                "password": [.init(error: "ERR_BLANK", description: "can't be blank")]
            ])
        let busy = await api.bench.failure(of: post)
        #expect(busy.rateLimit?.remaining == 0)
        #expect(busy.rateLimit?.limit == 300)
        #expect(busy.localizedDescription.contains("Too many requests"))
    }
}
