/// What the template calls itself where a service has its own name.
enum TemplateName {
    static let lower = "shiftlog"
    static let camel = "Shiftlog"
    static let upper = "SHIFTLOG"

    /// The product's name as others know it: `package.name` of the template.
    static let package = "Strata"
    /// The port the template's server listens at.
    static let port = "8080"
}
