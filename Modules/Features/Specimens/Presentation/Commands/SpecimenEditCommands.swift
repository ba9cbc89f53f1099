package import ArgumentParser
package import SpecimensDomain
package import StrataDomain
package import StrataTerminal

/// `specimens edit ID`.
package struct SpecimenEditCommand: SpecimensCommand {
    package static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change a specimen; what is not given stays as it is.",
        discussion: "Example: \(ProgramName.current) specimens edit 9f2c41d --clear FIELD")

    @Argument(help: "From 'specimens list'.")
    package var id: Specimen.ID
    @Option(help: "Pet name: one line of 1 to 40 bytes.")
    package var petName: String?
    @Option(help: "Folk name: one line of 1 to 60 bytes.")
    package var folkName: String?
    @Option(help: "Field notes: up to 64 KiB of text.")
    package var fieldNotes: String?
    @Option(help: "Lab notes: up to 64 KiB of text.")
    package var labNotes: String?
    @Option(parsing: .unconditional, help: "Leg count: 0 to 1000.")
    package var legCount: Int?
    @Option(parsing: .unconditional, help: "Spot count: 0 to 500.")
    package var spotCount: Int?
    @Option(parsing: .unconditional, help: "Weight grams: a number.")
    package var weightGrams: Double?
    @Option(parsing: .unconditional, help: "Length meters: a number.")
    package var lengthMeters: Double?
    @Option(help: "Is venomous: true or false.")
    package var isVenomous: Bool?
    @Option(help: "Is nocturnal: true or false.")
    package var isNocturnal: Bool?
    @Option(help: "Found at: a time like 2026-11-21T09:05:00Z.")
    package var foundAt: Moment?
    @Option(help: "Examined at: a time like 2026-11-21T09:05:00Z.")
    package var examinedAt: Moment?
    @Option(help: "Batch uuid: a UUID.")
    package var batchUuid: UniqueID?
    @Option(help: "Twin uuid: a UUID.")
    package var twinUuid: UniqueID?
    @Option(help: "Web page: an http or https address.")
    package var webPage: WebLink?
    @Option(help: "Photo link: an http or https address.")
    package var photoLink: WebLink?
    @Option(help: "Home terrain: one of forest, meadow, pond.")
    package var homeTerrain: Specimen.HomeTerrain?
    @Option(help: "Main diet: one of plants, insects.")
    package var mainDiet: Specimen.MainDiet?
    @Option(help: "Kept by: an id.")
    package var keptBy: Specimen.KeptByID?
    @Option(help: "Found by: an id.")
    package var foundBy: Specimen.FoundByID?
    @Option(help: "Catalog code: one line of 3 to 12 bytes.")
    package var catalogCode: String?
    @Option(help: "Finder name: one line of 1 to 80 bytes.")
    package var finderName: String?
    @Option(help: "A field to leave without a value; may be repeated.")
    package var clear: [String] = []
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ specimens: Specimens, _ console: Console) async throws {
        let edited = try await specimens.edit(specimens.completed(id)) { specimen throws(DomainError) in
            specimen = try specimen.clearing(clear)
            if let petName { specimen.petName = petName }
            if let folkName { specimen.folkName = folkName }
            if let fieldNotes { specimen.fieldNotes = fieldNotes }
            if let labNotes { specimen.labNotes = labNotes }
            if let legCount { specimen.legCount = legCount }
            if let spotCount { specimen.spotCount = spotCount }
            if let weightGrams { specimen.weightGrams = weightGrams }
            if let lengthMeters { specimen.lengthMeters = lengthMeters }
            if let isVenomous { specimen.isVenomous = isVenomous }
            if let isNocturnal { specimen.isNocturnal = isNocturnal }
            if let foundAt { specimen.foundAt = foundAt.date }
            if let examinedAt { specimen.examinedAt = examinedAt.date }
            if let batchUuid { specimen.batchUuid = batchUuid.uuid }
            if let twinUuid { specimen.twinUuid = twinUuid.uuid }
            if let webPage { specimen.webPage = webPage.url }
            if let photoLink { specimen.photoLink = photoLink.url }
            if let homeTerrain { specimen.homeTerrain = homeTerrain }
            if let mainDiet { specimen.mainDiet = mainDiet }
            if let keptBy { specimen.keptBy = keptBy }
            if let foundBy { specimen.foundBy = foundBy }
            if let catalogCode { specimen.catalogCode = catalogCode }
            if let finderName { specimen.finderName = finderName }
        }
        try console.confirm(edited, "changed")
    }
}

/// `specimens rm ID`.
package struct SpecimenRemoveCommand: SpecimensCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove a specimen.",
        discussion: "Example: \(ProgramName.current) specimens rm 9f2c41d")

    @Argument(help: "From 'specimens list'.")
    package var id: Specimen.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ specimens: Specimens, _ console: Console) async throws {
        let id = try await specimens.completed(id)
        try await specimens.remove(id)
        try console.confirm(id.rawValue, "removed")
    }
}
