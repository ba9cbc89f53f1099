import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

struct LinkMutationTests {
    @Test(arguments: 0..<10)
    func `a damaged field gives only targets that stand in it`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let sound =
            #"<https://a.test/x?p=2>; rel="next last"; title="a, \"b\"", </y>; rel=prev;anchor="/z" , <é>;rel=é"#
        for _ in 0..<100 {
            var bytes = Array(sound.utf8)
            for _ in 0...Int.random(in: 0..<6, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(Array("<>\";,=\\ ".utf8).randomElement(using: &random) ?? 0, at: place)
                default: bytes.removeSubrange(place...)
                }
            }
            let field = String(decoding: bytes, as: UTF8.self)
            let links = WebLink.links(in: field)
            #expect(links.count <= field.utf8.count { $0 == UInt8(ascii: "<") })
            for link in links {
                #expect(link.target.isEmpty || field.utf8.firstRange(of: link.target.utf8) != nil, "\(field)")
                #expect(!link.target.utf8.contains(UInt8(ascii: ">")))
            }
        }
    }
}
