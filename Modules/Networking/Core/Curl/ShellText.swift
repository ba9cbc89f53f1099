/// Text as a POSIX shell reads it (POSIX.1-2024, Shell Command Language, section 2.2).
enum ShellText {
    /// One word whose value is `text`, whatever is in it but NUL, which no argument of a program can hold.
    ///
    /// Works on bytes: a quote with a combining mark behind it is one character in Swift, and a quote to the shell.
    static func quoted(_ text: some StringProtocol) -> String {
        let quote = UInt8(ascii: "'")
        var bytes = [quote]
        for byte in text.utf8 {
            if byte == quote { bytes += "'\\''".utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes + [quote], as: UTF8.self)
    }

    /// The value of a variable named after `name`, as a part of a word: `"$API_KEY"`.
    static func variable(_ name: String) -> String {
        let letters = name.uppercased().unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                ? Character(scalar) : "_"
        }
        var result = String(letters)
        if result.first?.isNumber ?? true { result = "SECRET_" + result }
        // The shell sets these itself.
        if ["PATH", "PWD", "OLDPWD", "HOME", "IFS", "USER", "SHELL"].contains(result) { result += "_VALUE" }
        return "\"$\(result)\""
    }

    /// A `printf` that prints `bytes`, each that is no letter or digit in octal.
    static func printing(_ bytes: some Sequence<UInt8>) -> String {
        var format = ""
        for byte in bytes {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            // Three digits: a digit that follows would be read as one of the number.
            let digits = String(byte, radix: 8)
            format += isPlain ? String(scalar) : "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        return "printf '\(format)'"
    }
}
