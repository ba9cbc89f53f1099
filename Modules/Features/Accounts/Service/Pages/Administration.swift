package import StrataService

/// What `/admin` shows beside users, sessions and jobs.
package struct Administration: Sendable {
    /// A setting as an operator knows it.
    package struct Setting: Sendable {
        let name: String
        let value: String
        let meaning: String

        /// - Parameters:
        ///   - value: As it was set; empty for the default. Never a secret.
        ///   - meaning: Its default, and what it does.
        package init(name: String, value: String, meaning: String) {
            (self.name, self.value, self.meaning) = (name, value, meaning)
        }
    }

    let tables: [any AdministeredTable]
    let settings: [Setting]

    /// - Parameters:
    ///   - tables: Whose rows it lists. Default: none.
    ///   - settings: What it shows of the settings. Default: nothing.
    package init(tables: [any AdministeredTable] = [], settings: [Setting] = []) {
        (self.tables, self.settings) = (tables, settings)
    }
}
