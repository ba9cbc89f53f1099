import FoundationEssentials
import StrataDomain
import StrataNetworking

/// The routes of the files of a card. A file may be read by whom the card may, and added by whom the card may be changed; an upload is
/// continued by the user that began it, and by no other member.
extension SpaceMatrix {
    static let attachments: [Row] = [
        attachment(.get, "/v1/cards/{id}/attachments", .row(.read, Card.collection)),
        attachment(.post, "/v1/cards/{id}/attachments", .row(.update, Card.collection)) {
            upload("new.txt", isWhole: true)
        },
        attachment(.get, "/v1/card-attachments/{id}", .row(.read, Card.collection)),
        attachment(.get, "/v1/card-attachments/{id}/content", .row(.read, Card.collection)),
        attachment(.get, "/v1/card-attachment-uploads/{id}", .hidden),
        attachment(.patch, "/v1/card-attachment-uploads/{id}", .hidden) {
            let headers: HeaderFields = ["Upload-Complete": "?1", "Upload-Offset": "4"]
            return (headers, .bytes(Data("dential".utf8), contentType: "application/partial-upload"))
        },
        attachment(.delete, "/v1/card-attachment-uploads/{id}", .hidden),
    ]

    private static func attachment(
        _ method: HTTPMethod, _ template: String, _ rule: Rule,
        _ parts: @escaping @Sendable () -> (HeaderFields, UploadBody?) = { ([:], nil) }
    ) -> Row {
        Row(Route(method, template), rule) { client, scene in
            let path = ["/v1/cards": scene.card.id.rawValue].merging(scene.made) { first, _ in first }
                .first { template.hasPrefix("\($0.key)/{id}") }
            guard let path else { throw Refused(status: 599) }
            let (headers, body) = parts()
            let url = template.replacing("\(path.key)/{id}", with: "\(path.key)/\(path.value)")
            return try await text(of: RawRequest(method, url, headers: headers, body: body), client)
        }
    }

    /// A file in one request, or the first bytes of one.
    fileprivate static func upload(_ name: String, isWhole: Bool) -> (HeaderFields, UploadBody?) {
        let headers: HeaderFields = [
            "Upload-Complete": isWhole ? "?1" : "?0", "Content-Disposition": "inline; filename=\"\(name)\"",
        ]
        return (headers, .bytes(Data((isWhole ? Scene.secret : "conf").utf8), contentType: "text/plain"))
    }
}

extension SpaceMatrix.Addition {
    /// A file of the card, and an upload that has begun.
    static let attachments = Self(
        make: { client, card in
            let list = "/v1/cards/\(card.id)/attachments"
            func post(_ parts: (HeaderFields, UploadBody?)) async throws -> RawResponse {
                try await client.collect(
                    RawRequest(.post, list, headers: parts.0, body: parts.1), upTo: 1 << 20, options: CallOptions()
                ) { _ in }
            }
            let file = try await post(SpaceMatrix.upload("\(SpaceMatrix.Scene.secret).txt", isWhole: true))
            let begun = try await post(SpaceMatrix.upload("part.txt", isWhole: false))
            let id = try WireJSON.decode([String: JSONValue].self, from: file.bytes)["id"]?.string
            let upload = begun.head.headers["Location"]?.split(separator: "/").last.map(String.init)
            return ["/v1/card-attachments": id ?? "", "/v1/card-attachment-uploads": upload ?? ""]
        },
        state: { client, scene in
            let upload = "/v1/card-attachment-uploads/\(scene.made["/v1/card-attachment-uploads"] ?? "")"
            let response = try await client.collect(
                RawRequest(.get, upload), upTo: 1 << 20, options: CallOptions()
            ) { _ in }
            return try await SpaceMatrix.text(of: RawRequest(.get, "/v1/cards/\(scene.card.id)/attachments"), client)
                + "\(response.head.status) \(response.head.headers["Upload-Offset"] ?? "")"
        }, apart: ["/v1/journal/", "/v1/attachments/", "/v1/attachment-uploads/"])
}
