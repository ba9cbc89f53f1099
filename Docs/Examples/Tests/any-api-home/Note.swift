import StrataClient

struct Note: Entity {
    static let noun = "note"
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
        .init("title", \.title, .line(1...200)),
        .init("body", \.body, .line(1...2000)),
        .init("folder", \.folder),
    ]
    var title: String
    var body: String
    /// Only `rest` has folders.
    var folder: RemoteID?
}

struct Folder: Entity {
    static let noun = "folder"
    static let collection = "folders"
    static let fields: [EntityField<Folder>] = [.init("name", \.name, .line(1...200))]
    var name: String
}
