import FoundationEssentials
import StrataDomain

extension StoredResponse {
    /// For the disk: smaller and much faster to read than JSON. The id is not in it; it names the record.
    var encoded: Data {
        var writer = ByteWriter()
        writer.write(status)
        writer.write(length)
        writer.write(requestTime)
        writer.write(responseTime)
        writer.write(wasAuthorized)
        writer.write(isInvalidated)
        writer.write(range != nil)
        if let range {
            writer.write(range.lowerBound)
            writer.write(range.upperBound)
        }
        for text in [method, reason] { writer.write(text) }
        for list in [fields, selecting] {
            writer.write(list.fields.count)
            for field in list {
                writer.write(field.name)
                writer.write(field.value)
            }
        }
        return writer.bytes
    }

    /// - Throws: `ByteReader.Malformed` when `bytes` are not what `encoded` gives.
    init(id: UUID, encoded bytes: Data) throws(ByteReader.Malformed) {
        var reader = ByteReader(bytes)
        let (status, length) = (try reader.integer(), try reader.integer())
        let (requestTime, responseTime) = (try reader.date(), try reader.date())
        let (wasAuthorized, isInvalidated) = (try reader.flag(), try reader.flag())
        var range: Range<Int>?
        if try reader.flag() {
            let (lower, upper) = (try reader.integer(), try reader.integer())
            guard lower <= upper else { throw ByteReader.Malformed() }
            range = lower..<upper
        }
        let (method, reason) = (try reader.text(), try reader.text())
        let (fields, selecting) = (try Self.fields(&reader), try Self.fields(&reader))
        self.init(
            id: id, method: method, status: status, reason: reason, fields: fields, selecting: selecting,
            wasAuthorized: wasAuthorized, requestTime: requestTime, responseTime: responseTime, length: length,
            range: range, isInvalidated: isInvalidated)
    }

    private static func fields(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> HeaderFields {
        var fields = HeaderFields()
        for _ in 0..<(try reader.count()) { fields.add(try reader.text(), try reader.text()) }
        return fields
    }
}

extension UUID {
    var data: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    init?(_ data: Data) {
        guard data.count == 16 else { return nil }
        let b = Array(data)
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}
