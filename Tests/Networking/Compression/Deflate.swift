import CZlib
import FoundationEssentials

/// Compresses, to have something to inflate.
enum Deflate {
    case gzip, zlib, bare

    func callAsFunction(_ content: Data) -> Data {
        let windowBits: Int32 =
            switch self {
            case .gzip: 15 + 16
            case .zlib: 15
            case .bare: -15
            }
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { return Data() }
        defer { deflateEnd(&stream) }
        var (input, output) = (content, Data(count: Int(deflateBound(&stream, UInt(content.count)))))
        let status = input.withUnsafeMutableBytes { source in
            output.withUnsafeMutableBytes { target in
                stream.next_in = source.bindMemory(to: UInt8.self).baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(target.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        return status == Z_STREAM_END ? Data(output.prefix(Int(stream.total_out))) : Data()
    }
}
