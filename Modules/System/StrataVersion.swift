/// The version of Strata: of its libraries, both programs, their packages and the OpenAPI document.
///
/// It is stated here only. `Scripts/release` writes it; a change of the public API raises it before (`Scripts/check api`).
public enum StrataVersion {
    /// A semantic version (semver.org), such as `1.0.0` or `1.1.0-beta.2`.
    public static let current = "1.0.0-beta.1"
}
