import FoundationEssentials
import StrataHTTP
import Testing

struct ContentDigestTests {
    /// The digest of empty content.
    private static let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(arguments: [
        "sha-256=\(hex)", "SHA-256=\(hex.uppercased())", "sha256:\(hex)", hex, "sha-256=\(base64)",
        "sha-256=:\(base64):",
    ])
    func `a digest is read in each form that users write`(text: String) {
        #expect(ContentDigest(text: text)?.description == "sha-256=\(Self.hex)")
    }

    @Test func `the number of digits determines the algorithm`() {
        #expect(ContentDigest(text: String(repeating: "a0", count: 64))?.algorithm == .sha512)
    }

    @Test(arguments: [
        "", "sha-256", "sha-256=", "md5=\(hex)", "sha-256=\(hex)0", "sha-512=\(hex)", "sha-256=::", "xyz", "sha-256=ü",
        "\(hex.dropLast())", "=\(hex)", "sha-256=\(hex.dropLast(2))",
    ])
    func `any other text is not a digest`(text: String) { #expect(ContentDigest(text: text) == nil) }

    @Test(arguments: [
        ("sha-256=:\(base64):", 1), ("md5=:AAAA:, sha-256=:\(base64):;x=1", 1), ("", 0), ("sha-256=\(base64)", 0),
        ("sha-256=:AAAA:", 0), ("sha-256=:\(base64):,sha-256=:\(base64):", 2), ("sha-256", 0), ("=,;:", 0),
        ("sha-256=:", 0),
    ])
    func `a field lists its valid digests with known algorithms`(field: String, count: Int) {
        #expect(ContentDigest.list(field).count == count)
        #expect(ContentDigest.list(field).allSatisfy { $0.bytes.hex == Self.hex })
    }

    @Test func `a printed digest is read as the same digest`() throws {
        let digest = try #require(ContentDigest(text: Self.hex))
        #expect(digest.field == "sha-256=:\(Self.base64):")
        #expect(ContentDigest.list(digest.field) == [digest])
        #expect(ContentDigest(text: digest.description) == digest)
    }

    @Test func `a digest is read as it is written`() throws {
        for digest in [0, 1].compactMap({ ContentDigest(.sha256, Data(repeating: $0, count: 32)) }) {
            #expect(ContentDigest(field: digest.field) == digest)
        }
        let long = try #require(ContentDigest(.sha512, Data(repeating: 7, count: 64)))
        #expect(ContentDigest(field: long.field) == long)
    }

    @Test(arguments: [
        "", "=", ":", "sha-256", "sha-256=", "sha-256=::", "sha-256=:", "sha-256=47DEQpj8",
        "SHA-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
        "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU:",
        "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=:",
        "sha-512=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
        " sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", "sha-256=:ü:",
        "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:, sha-512=:x:",
    ])
    func `any other text is no digest field`(text: String) { #expect(ContentDigest(field: text) == nil) }
}
