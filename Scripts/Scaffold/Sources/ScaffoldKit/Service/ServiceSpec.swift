/// What a new service is to be, as its maker answered; recorded in `.template.json`, so that it can be made again.
package struct ServiceSpec: Sendable, Hashable, Codable {
    /// `Orders`: the package, and the start of what it is called everywhere else.
    package let name: String
    /// Features of the demo that come along, as folders of `Modules/Features`, sorted. `Accounts` always does.
    package let features: [String]
    package let strata: StrataOrigin
    /// Where the server listens by default.
    package let port: Int
    /// `nil` instead of none, which leaves no word in the record.
    private let chosen: [Extra]?

    package init(
        name: String, features: [String], strata: StrataOrigin, port: Int = 8080, extras: [Extra] = []
    ) {
        self.name = name
        self.features = features
        self.strata = strata
        self.port = port
        chosen = extras.isEmpty ? nil : extras
    }

    private enum CodingKeys: String, CodingKey {
        case name, features, strata, port
        case chosen = "extras"
    }

    /// What comes along besides features. Default: nothing.
    package var extras: [Extra] { chosen ?? [] }

    /// The same service with more extras, and with Strata from elsewhere unless that is `nil`.
    func moved(to strata: StrataOrigin?, adding more: [Extra] = []) -> ServiceSpec {
        ServiceSpec(
            name: name, features: features, strata: strata ?? self.strata, port: port,
            extras: Extra.allCases.filter { extras.contains($0) || more.contains($0) })
    }

    package var spelling: Spelling { Spelling(name) }
}

/// Where a service has Strata's modules from.
package enum StrataOrigin: Sendable, Hashable, Codable {
    /// A copy in the folder `Strata` of the service.
    case vendored
    /// A checkout on this machine, which the folder `Strata` links to.
    case path(String)
    /// A repository that the package manager fetches, at one commit.
    case url(RepositoryURL, commit: String)

    /// The word of `scaffold:only` for what only such services have.
    var word: String {
        switch self {
        case .vendored: "Copied"
        case .path: "Linked"
        case .url: "Fetched"
        }
    }
}
