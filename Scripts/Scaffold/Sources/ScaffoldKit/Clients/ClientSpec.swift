/// The answers from which a client of an API that is not ours is made.
package struct ClientSpec: Scaffolded {
    package static let noun = "client"
    package static let home = "Clients"

    /// `Weather`: the folder, the module, the start of its types.
    package let name: Spelling
    package let address: BaseURL
    package let auth: ClientAuth

    package init(name: Spelling, address: BaseURL, auth: ClientAuth) {
        (self.name, self.address, self.auth) = (name, address, auth)
    }

    package var module: String { name.upperCamel }
    package var modules: [String] { [module] }
    package var answers: String { "--base-url \(address) --auth \(auth.rawValue)" }
}

extension ClientSpec {
    private struct Stored: Codable {
        let name: String
        let baseURL: String
        let auth: ClientAuth
    }

    package init(from decoder: any Decoder) throws {
        let stored = try Stored(from: decoder)
        self.init(name: try ClientNames.read(stored.name), address: try BaseURL(stored.baseURL), auth: stored.auth)
    }

    package func encode(to encoder: any Encoder) throws {
        try Stored(name: module, baseURL: address.description, auth: auth).encode(to: encoder)
    }
}
