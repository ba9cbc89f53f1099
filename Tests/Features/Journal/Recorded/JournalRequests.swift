/// Requests about the journal, in the notation of `CallTranscript`.
enum JournalRequests {
    private static let entries = "/v1/journal/entries"
    private static let full =
        #"{"host":"web1","severity":"warning","text":"disk \"/\" full 🚒\n\tsecond line","occurred_at":"2026-11-21T10:05:00.25+01:00","runbook_id":"rb-1""#

    static let creating = [
        #"ada POST \#(entries) \#(full),"id":"e1"}"#, #"ada POST \#(entries) \#(full),"id":"e1"}"#,
        #"bob POST \#(entries) {"id":"e1","host":"web1","text":"another"}"#,
        #"ada POST \#(entries) {"id":"e2","host":"web2","text":"least"}"#,
        #"ada POST \#(entries) {"id":"e4","host":"web1","text":"more","later":[1,{"a":null}],"version":7,"runbook_id":null}"#,
        #"ada POST \#(entries) Idempotency-Key:k1 {"id":"e5","host":"web1","text":"once"}"#,
        #"ada POST \#(entries) Idempotency-Key:k1 {"id":"e5","host":"web1","text":"once"}"#,
        #"ada POST \#(entries) Idempotency-Key:k1 {"id":"e5","host":"web1","text":"twice"}"#,
        #"host:web1 POST \#(entries) {"id":"m1","text":"from the machine"}"#,
        #"host:web1 POST \#(entries) {"id":"m2","text":"from the machine","host":"web2"}"#,
        #"host:web1 POST \#(entries) {"id":"m2","text":7,"host":"web2"}"#,
        #"- POST \#(entries) {"host":"web1","text":"x"}"#,
    ]

    static let refused = [
        "{}", "[]", "{", #"{"host":"web1"}"#, #"{"text":"x"}"#, #"{"host":null,"text":"x"}"#,
        #"{"host":"web1","text":7}"#,
        #"{"host":7,"text":"x"}"#, #"{"host":"web1","text":"x","severity":"loud"}"#,
        #"{"host":"web1","text":"x","severity":3}"#, #"{"host":"web1","text":"x","occurred_at":"now"}"#,
        #"{"host":"web1","text":"x","occurred_at":"9999-12-31T00:00:00Z"}"#,
        #"{"host":"web1","text":"x","runbook_id":"é"}"#, #"{"host":"web1","text":"x","runbook_id":7}"#,
        #"{"host":"a b","text":""}"#, #"{"host":"","text":"  "}"#, #"{"host":"web1","text":"\u0007"}"#,
        #"{"host":"web1","text":"x","id":"a b"}"#, #"{"host":"web1","text":"x","id":7}"#,
    ].map { "ada POST \(entries) \($0)" }

    static let reading =
        [
            "ada GET \(entries)/e1", "ada GET \(entries)/nowhere", "- GET \(entries)/e1", "host:web1 GET \(entries)/e1",
            "ada GET \(entries)/e1 If-None-Match:\"1\"", "ada HEAD \(entries)/e1",
        ]
        + [
            "", "?limit=2", "?limit=2&host=web1", "?since=2026-11-21T09:00:04Z", "?severity=critical", "?host=web2",
            "?since=2026-11-21T09:00:02Z&host=web1&severity=info", "?limit=0", "?limit=501", "?limit=x",
            "?severity=loud", "?host=a%20b", "?host=", "?since=yesterday", "?cursor=garbage", "?cursor=", "?later=1",
        ].map { "ada GET \(entries)\($0)" }

    static let changing =
        [
            #"ada PATCH \#(entries)/e1 {"severity":"critical"}"#,
            #"ada PATCH \#(entries)/e1 {"text":"worse","host":"web9","occurred_at":"2026-11-21T09:00:00Z","runbook_id":"rb-2"}"#,
            #"ada PATCH \#(entries)/e1 If-Match:"1" {"text":"stale"}"#,
            #"ada PATCH \#(entries)/e2 If-Match:"2" {"text":"at its version"}"#,
            #"ada PATCH \#(entries)/e1 {"text":"kept","runbook_id":null}"#,
            #"ada PATCH \#(entries)/nowhere {"text":"x"}"#, #"host:web1 PATCH \#(entries)/e1 {"text":"x"}"#,
        ]
        + [
            "{}", #"{"runbook_id":null}"#, #"{"later":1}"#, #"{"version":9}"#, #"{"text":""}"#, #"{"text":7}"#, "[]",
            #"{"severity":"loud"}"#, #"{"host":"a b","runbook_id":"é"}"#, #"{"occurred_at":"9999-12-31T00:00:00Z"}"#,
            #"{"occurred_at":"now"}"#, #"{"text":"kept"}"#,
        ].map { "ada PATCH \(entries)/e1 \($0)" }
        + [
            "ada DELETE \(entries)/e4 If-Match:\"1\"", "ada DELETE \(entries)/e4", "ada DELETE \(entries)/e4",
            "ada GET \(entries)/e4", "host:web1 DELETE \(entries)/e1", "ada GET \(entries)",
        ]

    static let synchronising =
        [
            mutation(
                1, "create", "s1",
                #""host":"web1","text":"from a device","severity":"info","occurred_at":"2026-11-21T08:00:00.000Z""#),
            mutation(
                2, "create", "s1",
                #""host":"web1","text":"from a device","severity":"info","occurred_at":"2026-11-21T08:00:00.000Z""#),
            mutation(3, "create", "s1", #""host":"web1","text":"another""#),
            mutation(4, "create", "s2", #""host":"web1","text":"least""#),
            mutation(5, "create", "s3", #""text":"x""#), mutation(6, "create", "s3", #""host":"web1","text":7"#),
            mutation(7, "create", "s3", #""host":"web1","text":"x","severity":"loud""#),
            mutation(8, "create", "s3", #""host":"a b","text":"","runbook_id":"é""#),
            mutation(9, "create", "s3", #""host":"web1","text":"x","later":1"#),
            mutation(
                10, "create", "s3",
                #""host":"web1","text":"x","version":9,"updated_at":"1999-01-01T00:00:00Z","id":"s3""#),
            mutation(11, "create", "s4", #""host":"web1","text":"x","id":"other""#),
            mutation(12, "create", "a b", #""host":"web1","text":"x""#),
            mutation(13, "create", "s5", #""host":"web1","text":"x","occurred_at":"9999-12-31T00:00:00Z""#),
            mutation(14, "patch", "e5", #""text":"no base""#), mutation(15, "patch", "e5", #""text":"stale""#, base: 1),
            mutation(16, "patch", "e5", #""text":"patched","severity":"critical""#, base: 5),
            mutation(17, "patch", "s1", "", base: 14), mutation(18, "patch", "nowhere", #""text":"x""#, base: 3),
            mutation(19, "delete", "m1", "", base: 1), mutation(20, "delete", "m1", ""),
            mutation(21, "delete", "m1", "", base: 3), mutation(22, "delete", "nowhere", "", base: 3),
            mutation(4, "create", "s2", #""host":"web1","text":"least""#),
            mutation(23, "create", "h1", #""host":"web1","text":"x""#, as: "host:web1"),
        ] + ["ada GET /v1/sync/changes", "ada GET /v1/sync/snapshot", "ada GET /v1/sync/digest"]

    private static func mutation(
        _ number: Int, _ operation: String, _ entity: String, _ fields: String, base: Int? = nil,
        as user: String = "ada"
    ) -> String {
        let version = base.map { #""base_version":\#($0),"# } ?? ""
        return
            #"\#(user) POST /v1/sync/mutations {"client_id":"device","mutations":[{"id":"m\#(number)","client_seq":\#(number),"#
            + #""collection":"journal_entries","entity_id":"\#(entity)","operation":"\#(operation)",\#(version)"#
            + #""fields":{\#(fields)},"at":"2026-11-21T07:00:00.000Z"}]}"#
    }
}
