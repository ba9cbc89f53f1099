import StrataDomain

/// An entity of an owner's own, as `Docs/Guides/FirstFeature.md` makes it.
struct Shift: Entity {
    static let noun = "shift"
    static let collection = "shifts"
    static let ownership = Ownership.author
    static let fields: [EntityField<Shift>] = [.init("title", \.title, .line(1...200))]

    var title: String
}
