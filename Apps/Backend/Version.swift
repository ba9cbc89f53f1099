import StrataSystem

extension ShiftlogServer {
    /// The version of the program and of its OpenAPI document.
    static let release = StrataVersion.current
}
