/// The name and the colours of the pages that the service has for browsers: `/docs`, and those of the features.
public struct PageStyle: Sendable, Hashable {
    /// In titles and texts. Default: `nil`, for the name of the service.
    public let name: String?
    /// The colour of buttons, links and the focus on light pages.
    public let light: PageColor
    /// The same on dark pages.
    public let dark: PageColor

    /// Blue, on white and on near-black.
    public static let standard = PageStyle(
        uncheckedName: nil, light: PageColor(red: 0x0B, green: 0x57, blue: 0xD0),
        dark: PageColor(red: 0x8A, green: 0xB4, blue: 0xF8))

    /// - Parameters:
    ///   - name: 1 to 60 characters in one line.
    ///   - light: The colour on light pages. Default: that of `standard`.
    ///   - dark: The colour on dark pages. Default: that of `standard`.
    /// - Throws: For a name of another length, and for a colour that is hard to read as text on its page (a contrast
    ///   below 4.5, WCAG 2.2, criterion 1.4.3).
    public init(name: String? = nil, light: PageColor? = nil, dark: PageColor? = nil) throws(PageStyleError) {
        if let name {
            guard (1...60).contains(name.count),
                !name.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 })
            else { throw PageStyleError("The name of the pages must be one line of 1 to 60 characters.") }
        }
        let (light, dark) = (light ?? Self.standard.light, dark ?? Self.standard.dark)
        for (color, ground, page) in [(light, Self.grounds.light, "light"), (dark, Self.grounds.dark, "dark")] {
            let contrast = color.contrast(with: ground)
            guard contrast >= 4.5 else {
                let shown = Double(Int(contrast * 10)) / 10
                let mend = page == "light" ? "darker" : "lighter"
                throw PageStyleError(
                    "The colour \(color) has a contrast of \(shown) on the \(page) page; take a \(mend) one, for 4.5 or more."
                )
            }
        }
        self.init(uncheckedName: name, light: light, dark: dark)
    }

    private init(uncheckedName name: String?, light: PageColor, dark: PageColor) {
        (self.name, self.light, self.dark) = (name, light, dark)
    }

    /// The lightest and the darkest ground behind text.
    private static let grounds = (
        light: PageColor(red: 0xF6, green: 0xF8, blue: 0xFA), dark: PageColor(red: 0x22, green: 0x27, blue: 0x2C)
    )

    /// The custom properties `--main`, and `--on` for text on it, as CSS.
    public var customProperties: String {
        """
        :root{--main:\(light);--on:\(light.textColor)}
        @media (prefers-color-scheme:dark){:root{--main:\(dark);--on:\(dark.textColor)}}
        """
    }
}

/// A colour of sRGB: `#0b57d0`.
public struct PageColor: Sendable, Hashable, CustomStringConvertible {
    /// The parts of the colour, 0 to 255.
    public let red, green, blue: UInt8

    /// A colour of these parts.
    public init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// `nil` unless `text` is `#` with 6 hexadecimal digits.
    public init?(_ text: String) {
        let digits = text.dropFirst()
        guard text.first == "#", digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let value = UInt32(digits, radix: 16)
        else { return nil }
        self.init(
            red: UInt8(value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
            blue: UInt8(truncatingIfNeeded: value))
    }

    public var description: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// 1 for the same luminance to 21 for black and white (WCAG 2.2, contrast ratio).
    package func contrast(with other: PageColor) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    /// Black or white, whichever is easier to read on this colour.
    var textColor: PageColor {
        let (black, white) = (PageColor(red: 0, green: 0, blue: 0), PageColor(red: 255, green: 255, blue: 255))
        return contrast(with: white) >= contrast(with: black) ? white : black
    }

    /// WCAG 2.2, relative luminance.
    private var luminance: Double {
        func linear(_ part: UInt8) -> Double {
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055)
        }
        /// `base` to the power of 2.4: its square times the fifth root of the square, by Newton's method.
        func power(_ base: Double) -> Double {
            var root = 1.0
            for _ in 0..<40 { root = (4 * root + base * base / (root * root * root * root)) / 5 }
            return base * base * root
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}

/// A name or colour that pages cannot have, as a sentence.
public struct PageStyleError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
