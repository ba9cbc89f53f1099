package import AccountsDomain
package import FoundationEssentials
package import StrataDomain

/// The fields of a specimen that a user writes; `Stored` adds id, version and author.
package struct Specimen: Entity {
    package static let noun = "specimen"
    package static let collection = "specimens"
    /// All users read a specimen; its author and administrators change it.
    package static let ownership = Ownership.readableByAll
    package static let fields: [EntityField<Specimen>] = [
        .init("pet_name", \.petName, .line(1...40)).searchable.sortable,
        .init("folk_name", \.folkName, .line(1...60)).searchable.sortable,
        .init("field_notes", \.fieldNotes, .lines(1...65_536)).searchable,
        .init("lab_notes", \.labNotes, .lines(1...65_536)).searchable,
        .init("leg_count", \.legCount, .within(0...1000)).filterable.sortable,
        .init("spot_count", \.spotCount, .within(0...500)).filterable.sortable,
        .init("weight_grams", \.weightGrams).sortable,
        .init("length_meters", \.lengthMeters).sortable,
        .init("is_venomous", \.isVenomous).filterable,
        .init("is_nocturnal", \.isNocturnal).filterable,
        .init("found_at", \.foundAt).sortable,
        .init("examined_at", \.examinedAt).sortable,
        .init("batch_uuid", \.batchUuid).filterable,
        .init("twin_uuid", \.twinUuid).filterable,
        .init("web_page", \.webPage, .web),
        .init("photo_link", \.photoLink, .web),
        .init("home_terrain", \.homeTerrain).filterable,
        .init("main_diet", \.mainDiet).filterable,
        .init("kept_by", \.keptBy).filterable,
        .init("found_by", \.foundBy).filterable,
        .init("catalog_code", \.catalogCode, .line(3...12)).unique,
        .init("finder_name", \.finderName, .line(1...80)).redacted,
    ]

    package enum HomeTerrain: String, FieldChoice { case forest, meadow, pond }
    package enum MainDiet: String, FieldChoice { case plants, insects }

    package var petName: String
    package var folkName: String?
    package var fieldNotes: String
    package var labNotes: String?
    package var legCount: Int
    package var spotCount: Int?
    package var weightGrams: Double
    package var lengthMeters: Double?
    package var isVenomous: Bool
    package var isNocturnal: Bool?
    package var foundAt: Date
    package var examinedAt: Date?
    package var batchUuid: UUID
    package var twinUuid: UUID?
    package var webPage: URL
    package var photoLink: URL?
    package var homeTerrain: HomeTerrain
    package var mainDiet: MainDiet?
    package var keptBy: User.ID
    package var foundBy: User.ID?
    package var catalogCode: String
    package var finderName: String?
}

/// The use cases of specimens.
package typealias Specimens = EntityUseCases<Specimen>
