extension UInt64 {
    /// Sixteen lower-case hexadecimal digits.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            writeHexadecimal(to: buffer, at: 0)
            return 16
        }
    }

    /// Writes sixteen lower-case hexadecimal digits.
    package func writeHexadecimal(to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        for place in 0..<16 { buffer[start + place] = hexadecimalDigit(place) }
    }

    /// The digit at `place` of sixteen, from the left.
    package func hexadecimalDigit(_ place: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: self >> UInt64(60 - 4 * place)) & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
