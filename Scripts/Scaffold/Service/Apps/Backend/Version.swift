extension ShiftlogServer {
    /// The version of the program and of its OpenAPI document. The command line's is in `Apps/CLI/Version.swift`.
    static let release = "0.1.0"
}
