/// Writes the files of a feature; the living exemplar is read from the tree.
package protocol FeatureRenderer: Sendable {
    /// - Throws: A refusal when the exemplar is missing or cannot be turned into `spec`.
    func render(_ spec: FeatureSpec, from tree: SourceTree) throws(ScaffoldRefusal) -> RenderedFeature
}

/// A feature as text: new files, and a line for each list that has to name it.
package struct RenderedFeature: Sendable, Hashable {
    package var files: [RelativePath: String]
    package var regionLines: [RegionLine]

    package init(files: [RelativePath: String], regionLines: [RegionLine]) {
        self.files = files
        self.regionLines = regionLines
    }
}

/// One line of a marked region, without indentation.
package struct RegionLine: Sendable, Hashable {
    package let file: RelativePath
    /// The word behind `scaffold:begin`.
    package let region: String
    package let line: String

    package init(file: RelativePath, region: String, line: String) {
        self.file = file
        self.region = region
        self.line = line
    }
}
