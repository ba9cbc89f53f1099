import FoundationEssentials

/// Finds the entries in the pages of a cache file, wherever they lie (sqlite.org/fileformat2.html, sections 1.6 and 2.1).
///
/// It needs neither the schema nor the pages above those with rows. What it takes for a row need not be one: only the
/// checksums of a record tell.
struct RowParser {
    private let image: PageImage

    init(_ image: PageImage) { self.image = image }

    /// An entry without a look at its checksums.
    struct Row {
        var key: KeyDigest
        var record: DiskRecord
        var packed: Data
        var stamp: DiskRecord.Stamp

        /// Whether it is what was stored under its name.
        var isWhole: Bool { record.stamp(for: key, packed: packed) == stamp }
    }

    /// The rows on a page; none when it is no page of rows.
    func rows(on number: Int) -> [Row] {
        // 0x0D: a leaf of a table. The first page has the header of the file before its own.
        guard let page = image.page(number), let kind = number == 1 ? nil : page.first, kind == 0x0D else { return [] }
        let count = min(Int(page[3]) << 8 | Int(page[4]), (page.count - 8) / 2)
        return (0..<count).compactMap { index in
            let place = Int(page[8 + 2 * index]) << 8 | Int(page[9 + 2 * index])
            return payload(of: page, at: place).flatMap(Self.row)
        }
    }

    /// The bytes of a row, followed from page to page.
    private func payload(of page: [UInt8], at place: Int) -> ArraySlice<UInt8>? {
        var cell = page[min(place, page.count)...]
        guard let length = cell.takeNumber(), cell.takeNumber() != nil, length >= 0,
            length <= image.count * PageImage.pageSize
        else { return nil }
        let usable = PageImage.pageSize
        let (most, least) = (usable - 35, (usable - 12) * 32 / 255 - 23)
        guard length > most else { return cell.count >= length ? cell.prefix(length) : nil }
        let even = least + (length - least) % (usable - 4)
        let local = even <= most ? even : least
        guard cell.count >= local + 4 else { return nil }
        var bytes = Array(cell.prefix(local))
        bytes.reserveCapacity(length)
        var next = Int(Array(cell.dropFirst(local).prefix(4)).number(at: 0))
        while bytes.count < length {
            // Each page adds bytes, so a ring ends as well.
            guard let more = image.page(next) else { return nil }
            bytes += more[4...].prefix(length - bytes.count)
            next = Int(more.number(at: 0))
        }
        return bytes[...]
    }

    /// Columns in the order of the table: id, place, keptUntil, visited, headSum, bodySum, key, item, head, body.
    private static func row(_ payload: ArraySlice<UInt8>) -> Row? {
        var header = payload
        guard let length = header.takeNumber(), length > 0, length <= payload.count else { return nil }
        header = header[..<(payload.startIndex + length)]
        var kinds: [Int] = []
        while !header.isEmpty, kinds.count < 10, let kind = header.takeNumber() { kinds.append(kind) }
        guard kinds.count == 10, header.isEmpty else { return nil }
        var rest = payload.dropFirst(length)
        var columns: [Column] = []
        for kind in kinds {
            guard let column = Column(kind, &rest) else { return nil }
            columns.append(column)
        }
        guard let keptUntil = columns[2].date, let headSum = columns[4].integer, let bodySum = columns[5].integer,
            let key = columns[6].blob.flatMap(KeyDigest.init(bytes:)), let item = columns[7].blob,
            item.isEmpty || item.count == 16, let packed = columns[8].blob, let body = columns[9].blob,
            let record = DiskRecord(item: UUID(item), packed: packed, body: body, keptUntil: keptUntil)
        else { return nil }
        return Row(
            key: key, record: record, packed: packed,
            stamp: DiskRecord.Stamp(head: UInt64(bitPattern: headSum), body: UInt64(bitPattern: bodySum)))
    }

    private enum Column {
        case none
        case integer(Int64)
        case real(Double)
        case blob(Data)

        init?(_ kind: Int, _ bytes: inout ArraySlice<UInt8>) {
            let sizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]
            let size = sizes.indices.contains(kind) ? sizes[kind] : (kind - 12) / 2
            guard size >= 0, bytes.count >= size else { return nil }
            let content = bytes.prefix(size)
            bytes = bytes.dropFirst(size)
            let sign: Int64 = content.first.map { $0 > 127 ? -1 : 0 } ?? 0
            let number = content.prefix(8).reduce(sign) { $0 << 8 | Int64($1) }
            switch kind {
            case 0: self = .none
            case 7: self = .real(Double(bitPattern: UInt64(bitPattern: number)))
            case 8, 9: self = .integer(Int64(kind - 8))
            case 1...6: self = .integer(number)
            case 12... where kind.isMultiple(of: 2): self = .blob(Data(content))
            default: return nil
            }
        }

        var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
        var blob: Data? { if case .blob(let bytes) = self { bytes } else { nil } }

        /// A whole number of seconds lies there as an integer.
        var date: Date? {
            switch self {
            case .integer(let seconds): Date(timeIntervalSinceReferenceDate: Double(seconds))
            case .real(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
            default: nil
            }
        }
    }
}

extension ArraySlice<UInt8> {
    /// A number of one to nine bytes, with seven bits in each but the ninth.
    fileprivate mutating func takeNumber() -> Int? {
        var number: UInt64 = 0
        for place in 1...9 {
            guard let byte = popFirst() else { return nil }
            if place == 9 { return Int(Int64(bitPattern: number << 8 | UInt64(byte))) }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 128 { break }
        }
        return Int(Int64(bitPattern: number))
    }
}
