import ScaffoldKit

/// Stands in until the exemplar can be rendered.
struct ExemplarRenderer: FeatureRenderer {
    func render(_ spec: FeatureSpec, from tree: SourceTree) throws(ScaffoldRefusal) -> RenderedFeature {
        throw ScaffoldRefusal("The exemplar in 'Modules/Features/Specimens' is not there.")
    }
}
