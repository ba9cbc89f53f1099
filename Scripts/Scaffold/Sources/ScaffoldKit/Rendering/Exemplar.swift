/// The feature that every other one is rendered from: `Modules/Features/Specimens`, compiled and tested with every build.
package enum Exemplar {
    /// Every kind, required and optional; the last two are what `:unique` and `:redact` are copied from.
    package static let fields = [
        Field("petName", .string(1...40)),
        Field("folkName", .string(1...60), isOptional: true),
        Field("fieldNotes", .text),
        Field("labNotes", .text, isOptional: true),
        Field("legCount", .int(0...1000)),
        Field("spotCount", .int(0...500), isOptional: true),
        Field("weightGrams", .double),
        Field("lengthMeters", .double, isOptional: true),
        Field("isVenomous", .bool),
        Field("isNocturnal", .bool, isOptional: true),
        Field("foundAt", .date),
        Field("examinedAt", .date, isOptional: true),
        Field("batchUuid", .uuid),
        Field("twinUuid", .uuid, isOptional: true),
        Field("webPage", .url),
        Field("photoLink", .url, isOptional: true),
        Field("homeTerrain", .choice(["forest", "meadow", "pond"])),
        Field("mainDiet", .choice(["plants", "insects"]), isOptional: true),
        Field("keptBy", .reference(FeatureReference(entity: "User", module: "Accounts"))),
        Field("foundBy", .reference(FeatureReference(entity: "User", module: "Accounts")), isOptional: true),
        Field("catalogCode", .string(3...12), isUnique: true),
        Field("finderName", .string(1...80), isOptional: true, isRedacted: true),
    ]

    /// What the exemplar would be asked for as.
    package static func spec(_ policy: FeatureSpec.Policy) -> FeatureSpec {
        FeatureSpec(name: Spelling("Specimen"), plural: Spelling("Specimens"), fields: fields, policy: policy)
    }

    static let folders: [RelativePath] = ["Modules/Features/Specimens", "Tests/Features/Specimens"]
    static let page: RelativePath = "Docs/Features/specimens.md"

    /// The files a feature like `spec` needs; what only an offline feature has is in a folder of its own.
    static func paths(for spec: FeatureSpec, in tree: SourceTree) throws(ScaffoldRefusal) -> [RelativePath] {
        var paths: [RelativePath] = []
        for folder in folders {
            paths += try tree.paths(under: folder).filter {
                spec.policy == .offline || !$0.components.contains("Offline")
            }
        }
        guard !paths.isEmpty else {
            throw ScaffoldRefusal(
                "The feature that new ones are copied from is not in 'Modules/Features/Specimens'; get it back with "
                    + "'git checkout -- Modules/Features/Specimens Tests/Features/Specimens'.")
        }
        return paths + [page]
    }

    /// The field that a field of another feature is copied from, among those that a block has lines for.
    ///
    /// One of the same kind that is as optional; best with the same marks, else the plain one.
    static func model(of field: Field, among candidates: [Field]) -> Field? {
        let alike = candidates.filter { $0.isOptional == field.isOptional && $0.kind.isLike(field.kind) }
        return alike.first { $0.isUnique == field.isUnique && $0.isRedacted == field.isRedacted }
            ?? alike.first { !$0.isUnique && !$0.isRedacted } ?? alike.first
    }
}

extension Field.Kind {
    /// Whether both are, say, enums, whatever their words.
    func isLike(_ other: Field.Kind) -> Bool {
        switch (self, other) {
        case (.string, .string), (.text, .text), (.int, .int), (.double, .double), (.bool, .bool), (.date, .date),
            (.uuid, .uuid), (.url, .url), (.choice, .choice), (.reference, .reference):
            true
        default: false
        }
    }
}
