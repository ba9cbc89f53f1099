import StrataClient
import StrataOffline

struct Note: Entity {
    static let noun = "note"
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
        .init("text", \.text, .line(1...200))
    ]
    var text: String
}

let row = "/notes/{id}"
let remote = CRUDRemote<Note>(
    list: { try await $0.get("/notes") },
    create: {
        try await $1.post("/notes", body: $0)
    },
    update: {
        try await $2.put(
            row, ["id": $0], body: $1)
    },
    delete: {
        try await $1.delete(row, ["id": $0])
    })

let url = CommandLine.arguments[1]
let client = try StrataClient(url)
let offline = try Offline(
    at: CommandLine.arguments[2], client: client)
let notes = try offline.collection(
    Note.self, remote)

// Stored and queued, then sent.
try await notes.create(Note(text: "milk"))
_ = try? await offline.sync()

for note in try await notes.list() {
    print(note.text)
}
