package import ArgumentParser
package import SpecimensDomain
import StrataDomain
package import StrataTerminal

/// `specimens add`.
package struct SpecimenAddCommand: SpecimensCommand {
    package static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a specimen.")

    @Option(help: "Pet name: one line of 1 to 40 bytes.")
    package var petName: String
    @Option(help: "Folk name: one line of 1 to 60 bytes.")
    package var folkName: String?
    @Option(help: "Field notes: up to 64 KiB of text.")
    package var fieldNotes: String
    @Option(help: "Lab notes: up to 64 KiB of text.")
    package var labNotes: String?
    @Option(parsing: .unconditional, help: "Leg count: 0 to 1000.")
    package var legCount: Int
    @Option(parsing: .unconditional, help: "Spot count: 0 to 500.")
    package var spotCount: Int?
    @Option(parsing: .unconditional, help: "Weight grams: a number.")
    package var weightGrams: Double
    @Option(parsing: .unconditional, help: "Length meters: a number.")
    package var lengthMeters: Double?
    @Option(help: "Is venomous: true or false.")
    package var isVenomous: Bool
    @Option(help: "Is nocturnal: true or false.")
    package var isNocturnal: Bool?
    @Option(help: "Found at: a time like 2026-11-21T09:05:00Z.")
    package var foundAt: Moment
    @Option(help: "Examined at: a time like 2026-11-21T09:05:00Z.")
    package var examinedAt: Moment?
    @Option(help: "Batch uuid: a UUID.")
    package var batchUuid: UniqueID
    @Option(help: "Twin uuid: a UUID.")
    package var twinUuid: UniqueID?
    @Option(help: "Web page: an http or https address.")
    package var webPage: WebLink
    @Option(help: "Photo link: an http or https address.")
    package var photoLink: WebLink?
    @Option(help: "Home terrain: one of forest, meadow, pond.")
    package var homeTerrain: Specimen.HomeTerrain
    @Option(help: "Main diet: one of plants, insects.")
    package var mainDiet: Specimen.MainDiet?
    @Option(help: "Kept by: an id.")
    package var keptBy: Specimen.KeptByID
    @Option(help: "Found by: an id.")
    package var foundBy: Specimen.FoundByID?
    @Option(help: "Catalog code: one line of 3 to 12 bytes.")
    package var catalogCode: String
    @Option(help: "Finder name: one line of 1 to 80 bytes.")
    package var finderName: String?
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ specimens: Specimens, _ console: Console) async throws {
        let added = try await specimens.add(
            Specimen(
                petName: petName,
                folkName: folkName,
                fieldNotes: fieldNotes,
                labNotes: labNotes,
                legCount: legCount,
                spotCount: spotCount,
                weightGrams: weightGrams,
                lengthMeters: lengthMeters,
                isVenomous: isVenomous,
                isNocturnal: isNocturnal,
                foundAt: foundAt.date,
                examinedAt: examinedAt?.date,
                batchUuid: batchUuid.uuid,
                twinUuid: twinUuid?.uuid,
                webPage: webPage.url,
                photoLink: photoLink?.url,
                homeTerrain: homeTerrain,
                mainDiet: mainDiet,
                keptBy: keptBy,
                foundBy: foundBy,
                catalogCode: catalogCode,
                finderName: finderName,
            ))
        try console.confirm(added, "added")
    }
}
