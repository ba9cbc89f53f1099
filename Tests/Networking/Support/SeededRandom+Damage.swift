import FoundationEssentials
import StrataTesting

extension SeededRandom {
    /// `text` with one to six bytes removed, replaced or added, or with its end repeated or cut off.
    ///
    /// - Parameter others: Bytes that are added.
    mutating func damaged(_ text: String, adding others: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...6, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<10, using: &self) {
            case 0: bytes.removeSubrange(place...)
            case 1: bytes.insert(contentsOf: bytes[place...], at: place)
            case 2...4: bytes.remove(at: place)
            case 5...7: bytes[place] = UInt8.random(in: 0...255, using: &self)
            default: bytes.insert(Array(others.utf8).randomElement(using: &self) ?? 0, at: place)
            }
        }
        return bytes
    }

    /// `bytes` as they may arrive, in one piece or many.
    mutating func pieces(of bytes: [UInt8]) -> [Data] {
        var (rest, pieces) = (bytes[...], [Data]())
        while !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &self)
            pieces.append(Data(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
