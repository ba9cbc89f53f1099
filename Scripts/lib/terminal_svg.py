"""Draws what programs printed on a terminal as an SVG that fits light and dark pages.

    terminal_svg.py --self-test    draws hostile texts and checks the picture; looks at the contrast of all colours

Knows bold, dim, colours, carriage returns and erased lines. Other moves of the cursor are refused, because the picture would be wrong.
Characters that a terminal does not show, such as those that change the direction of text, become U+FFFD.
"""

import re
import sys
import unicodedata
import xml.etree.ElementTree

from processes import Failure

CELL, LINE, MARGIN = 8.4, 20, 16
SEQUENCE = re.compile(r"\x1b(?:\[([0-?]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
COLOURS = ["", "red", "green", "yellow", "blue", "magenta", "cyan", ""]
LIGHT = {
    "ground": "#f6f8fa", "frame": "#d0d7de", "plain": "#1f2328", "dim": "#57606a", "red": "#b3261e", "green": "#1a6e2e",
    "yellow": "#855600", "blue": "#0b57a8", "magenta": "#7b3fc4", "cyan": "#106a70",
}
DARK = {
    "ground": "#0d1117", "frame": "#30363d", "plain": "#e6edf3", "dim": "#9aa5b1", "red": "#ff7b72", "green": "#56d364",
    "yellow": "#e3b341", "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#56d4dd",
}


class Screen:
    """The lines of a terminal; a cell is a character and its style, which is bold, dim and a colour."""

    def __init__(self, columns):
        self.columns = columns
        self.lines = [[]]
        self.column = 0
        self.style = (False, False, "")

    def write(self, text):
        place = 0
        for sequence in SEQUENCE.finditer(text):
            self.put(text[place:sequence.start()])
            self.obey(sequence[1] or "", sequence[2] or "", sequence[0])
            place = sequence.end()
        self.put(text[place:])

    def put(self, text):
        for character in text:
            if character == "\n":
                self.lines.append([])
                self.column = 0
            elif character == "\r":
                self.column = 0
            elif unicodedata.combining(character) and 0 < self.column <= len(self.lines[-1]):
                before, style = self.lines[-1][self.column - 1]
                self.lines[-1][self.column - 1] = (before + character, style)
            else:
                self.show(character)

    def show(self, character):
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"):
            character = "\ufffd"
        cells = [character, ""] if unicodedata.east_asian_width(character) in "WF" else [character]
        if self.column + len(cells) > self.columns:
            self.put("\n")
        line = self.lines[-1]
        line.extend([(" ", (False, False, ""))] * (self.column - len(line)))
        line[self.column:self.column + len(cells)] = [(cell, self.style) for cell in cells]
        self.column += len(cells)

    def obey(self, words, command, sequence):
        if command == "m":
            self.paint([int(word or 0) for word in re.findall(r"[^;:]+", words)] or [0])
        elif command == "K" and words in ("", "0"):
            del self.lines[-1][self.column:]
        elif command == "K" or command in tuple("ABCDEFGHJLMPSTX@`adef"):
            raise Failure(f"The picture knows no moves of the cursor, such as {sequence!r}.")

    def paint(self, numbers):
        bold, dim, colour = self.style
        while numbers:
            number = numbers.pop(0)
            if number in (38, 48):  # a colour of a palette, or of three parts
                del numbers[:2 if numbers[:1] == [5] else 4]
            elif number in (0, 1, 2, 22, 39) or 30 <= number <= 37 or 90 <= number <= 97:
                bold = number == 1 or bold and number not in (0, 22)
                dim = number == 2 or dim and number not in (0, 22)
                colour = COLOURS[number % 10] if number >= 30 and number != 39 else "" if number in (0, 39) else colour
        self.style = (bold, dim, colour)

    def text(self):
        return "\n".join("".join(cell for cell, _ in line) for line in self.lines)


def pieces(line):
    """`(column, width, text, style)` of each part of a line with one style and no two spaces in a row."""
    start = 0
    while start < len(line):
        style, stop = line[start][1], start
        while stop < len(line) and line[stop][1] == style:
            stop += 1
        for match in re.finditer(r"\S+(?: \S+)*", "".join(cell[:1] or "\0" for cell, _ in line[start:stop])):
            first, last = start + match.start(), start + match.end()
            yield first, last - first, "".join(cell for cell, _ in line[first:last]), style
        start = stop


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def svg(screen, title):
    """The picture. The widths are stated, so that the columns stay below each other in any monospaced font."""
    def sheet(colours):
        rules = [f".{name} {{ fill: {value} }}" for name, value in colours.items() if name not in ("ground", "frame")]
        return f"rect {{ fill: {colours['ground']}; stroke: {colours['frame']} }} " + " ".join(rules)

    lines = list(screen.lines)
    while lines and not lines[-1]:
        lines.pop()
    width, height = round(2 * MARGIN + screen.columns * CELL), 2 * MARGIN + len(lines) * LINE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f"<title>{escaped(title)}</title>",
        "<style>",
        "  text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace } .bold { font-weight: 600 }",
        f"  {sheet(LIGHT)}",
        f"  @media (prefers-color-scheme: dark) {{ {sheet(DARK)} }}",
        "</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
    ]
    for number, line in enumerate(lines):
        for column, cells, text, (bold, dim, colour) in pieces(line):
            kind = colour or ("dim" if dim else "plain")
            parts.append(
                f'<text class="{kind}{" bold" if bold else ""}" x="{MARGIN + column * CELL:g}" y="{MARGIN + number * LINE + 14}" '
                f'textLength="{cells * CELL:g}" lengthAdjust="spacingAndGlyphs">{escaped(text)}</text>')
    return "\n".join([*parts, "</svg>", ""])


# MARK: Self-test


def contrast(one, other):
    """The ratio of WCAG 2, 1 to 21."""
    def light(colour):
        parts = [int(colour[place:place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted([light(one), light(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def self_test():
    """A sentence for each fault."""
    faults = [
        f"'{name}' has too little contrast" for colours in (LIGHT, DARK) for name, value in colours.items()
        if name not in ("ground", "frame") and contrast(value, colours["ground"]) < 4.5]

    def shows(text, wanted, columns=20):
        screen = Screen(columns)
        screen.write(text)
        picture = svg(screen, text)
        read = xml.etree.ElementTree.fromstring(re.sub(r"<title>.*?</title>", "", picture, flags=re.DOTALL))
        drawn = [
            (part.text, part.get("class"), part.get("x")) for part in read.iter("{http://www.w3.org/2000/svg}text")]
        if drawn != wanted:
            faults.append(f"{text!r} shows {drawn}")
        tags = {part.tag.rpartition("}")[2] for part in read.iter()}
        if not tags <= {"svg", "style", "rect", "text"}:
            faults.append(f"{text!r} makes {tags}")

    shows("a  \x1b[1mb\x1b[0m", [("a", "plain", "16"), ("b", "plain bold", "41.2")])
    shows("\x1b[2;33mdim\x1b[22m on\x1b[39m off", [("dim", "yellow", "16"), ("on", "yellow", "49.6"), ("off", "plain", "74.8")])
    shows("\x1b[38;5;1mx\x1b[38;2;1;2;3my", [("xy", "plain", "16")])
    shows("sync 10 %\r\x1b[Ksent", [("sent", "plain", "16")])
    shows("abcd", [("ab", "plain", "16"), ("cd", "plain", "16")], columns=2)
    shows("日本x e\u0301", [("日本x e\u0301", "plain", "16")])
    shows("</text><script>&\"'", [("</text><script>&\"'", "plain", "16")])
    shows("a\u202eb\x07\u200bc\x1b]0;title\x07", [("a\ufffdb\ufffd\ufffdc", "plain", "16")])
    shows("\x00\ud800\uffff\x1b", [("\ufffd" * 4, "plain", "16")])
    try:
        Screen(20).write("\x1b[2J")
        faults.append("a cleared screen is not refused")
    except Failure:
        pass
    return faults


if __name__ == "__main__":
    found = self_test() if sys.argv[1:] == ["--self-test"] else ["use --self-test"]
    print("".join(f"terminal_svg: {fault}\n" for fault in found), end="")
    sys.exit(1 if found else 0)
