/// Plans one more field of an entity, made here or by hand, whose fields stand in a list.
package struct AddField: Sendable {
    package let field: Field
    /// `Incident`.
    package let entity: String
    package let module: String
    /// The migration that adds the column.
    package let version: Int
    /// Whether the field was asked for as one that every row has, which rows that exist cannot keep.
    package let wasMadeOptional: Bool
    /// Empty when the field is there already, as it is asked for.
    package let plan: Plan

    /// - Parameters:
    ///   - name: The entity or its feature: `Incident`, `Incidents`.
    ///   - text: One field, as in `new-feature --fields`.
    /// - Throws: A refusal; nothing was written.
    package init(
        _ text: String, to name: String, in tree: SourceTree, strata: SourceTree,
        formatter: any SourceFormatter = SwiftFormat()
    ) throws(ScaffoldRefusal) {
        let fields = try FieldParser.parse(text)
        guard let typed = fields.first, fields.count == 1 else {
            throw ScaffoldRefusal(
                "'\(text.printable)' has \(fields.count) fields; add one at a time, such as 'note:text'.", .usage)
        }
        let place = try Self.place(of: name, in: tree)
        field = typed.optional
        wasMadeOptional = !typed.isOptional
        (entity, module) = (place.entity, place.feature)
        try FeatureNames.check(field, of: Spelling(place.entity))
        let found = try tree.text(place.file)
        var source = try EntitySource(found, of: place.entity, at: place.file)
        version = source.nextVersion
        guard try source.add(field) else {
            plan = try Plan([], in: tree)
            return
        }
        let spec = FeatureSpec(
            name: Spelling(place.entity), plural: Spelling(place.feature), fields: [field], policy: .cached)
        let references = try EntityPlace.referred(to: spec.references, by: spec, in: tree, strata: strata)
        for other in references { try Self.requireOrder(of: place, behind: other, field, in: tree) }
        source.setImports(
            of: references.filter { $0.feature != place.feature }.map(\.domain), foundation: field.needsFoundation,
            isNew: false)
        let text = try formatter.formatted([place.file: source.text], by: tree.text(".swift-format"))[place.file]
        let contents = FileContents(text ?? source.text)
        var changes = [FileChange.replace(place.file, contents)]
        let rows = try Self.rows(of: place.feature, referringTo: references, in: tree)
        changes += rows.map {
            .editRegion($0.old.file, region: $0.old.region, adding: [$0.new.line], removing: [$0.old.line])
        }
        if let change = try Self.record(of: place, found, contents, field, rows, in: tree) { changes.append(change) }
        plan = try Plan(changes, in: tree)
    }

    /// - Throws: A refusal naming the entities that have a list of fields.
    private static func place(of name: String, in tree: SourceTree) throws(ScaffoldRefusal) -> EntityPlace {
        let small = name.lowercased()
        let places = try EntityPlace.all(in: tree).filterThrowing { place throws(ScaffoldRefusal) in
            try tree.text(place.file).contains("[EntityField<\(place.entity)>]")
        }
        let matches = places.filter { [$0.entity.lowercased(), $0.feature.lowercased()].contains(small) }
        if let exact = matches.first(where: { $0.entity.lowercased() == small }) ?? matches.first,
            matches.count == 1 || exact.entity.lowercased() == small
        {
            return exact
        }
        let all = places.map(\.entity).joined(separator: ", ")
        throw ScaffoldRefusal(
            "'\(name.printable)' is \(matches.isEmpty ? "no entity" : "the feature of several entities") with a list of fields here; "
                + (all.isEmpty ? "there is none yet. 'Scripts/new-feature' makes one." : "use one of: \(all)."), .usage)
    }

    /// Tables, and the modules of features, come after what they refer to.
    ///
    /// - Throws: A refusal for an entity of the same kind, and for one whose feature refers to this one, directly or over others.
    private static func requireOrder(
        of place: EntityPlace, behind other: EntityPlace, _ field: Field, in tree: SourceTree
    ) throws(ScaffoldRefusal) {
        let instead = "Use an id that is not checked, '\(field.name):uuid'."
        guard other != place else {
            throw ScaffoldRefusal("'\(place.entity)' cannot refer to its own kind. \(instead)", .usage)
        }
        guard other.feature != place.feature else { return }
        let rows = try MarkedRegion("features", in: tree.text(RegionLine.manifest), of: RegionLine.manifest).lines
        var (found, waiting): (Set<String>, [String]) = ([], [other.feature])
        while let feature = waiting.popLast() {
            guard found.insert(feature).inserted else { continue }
            let row = rows.first { $0.hasPrefix("\(FeatureSpec.row(feature)),") } ?? ""
            guard let list = row.firstRange(of: "refersTo: [") else { continue }
            waiting += row[list.upperBound...].prefix { $0 != "]" }.split(separator: "\"").map(String.init)
        }
        guard found.contains(place.feature) else { return }
        throw ScaffoldRefusal(
            "'\(place.entity)' cannot refer to '\(other.entity)', because \(other.feature) refers to \(place.feature) already. "
                + instead, .usage)
    }

    /// The row of a feature in `Package.swift`, as it is and as it has to be.
    private static func rows(
        of feature: String, referringTo references: [EntityPlace], in tree: SourceTree
    ) throws(ScaffoldRefusal) -> [(old: RegionLine, new: RegionLine)] {
        let manifest = RegionLine.manifest
        let region = try MarkedRegion("features", in: tree.text(manifest), of: manifest)
        guard let old = region.lines.first(where: { $0.hasPrefix("\(FeatureSpec.row(feature)),") }) else { return [] }
        var new = old
        for other in references.map(\.feature) where other != feature && !old.contains("\"\(other)\"") {
            if let list = new.firstRange(of: "refersTo: [") {
                new.insert(contentsOf: "\"\(other)\", ", at: list.upperBound)
            } else {
                new = String(new.dropLast()) + ", refersTo: [\"\(other)\"])"
            }
        }
        guard new != old else { return [] }
        return [
            (
                RegionLine(file: manifest, region: "features", line: old),
                RegionLine(file: manifest, region: "features", line: new)
            )
        ]
    }

    /// The record of a feature that was made here, so that it can still be removed; a file edited before stays known as edited.
    private static func record(
        of place: EntityPlace, _ found: String, _ contents: FileContents, _ field: Field,
        _ rows: [(old: RegionLine, new: RegionLine)], in tree: SourceTree
    ) throws(ScaffoldRefusal) -> FileChange? {
        let path = try FeatureSpec.record(of: place.entity)
        guard let stored = try tree.contents(path) else { return nil }
        let known = try ScaffoldRecord<FeatureSpec>(stored, at: path)
        var files = known.files
        if files[place.file] == FileContents(found).digest { files[place.file] = contents.digest }
        let lines = known.regionLines.map { line in rows.first { $0.old == line }?.new ?? line }
        return .replace(path, ScaffoldRecord(known.spec.adding(field), files: files, regionLines: lines).contents)
    }
}
