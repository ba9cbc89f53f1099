import AttachmentsDomain
import StrataHTTP
import Testing

struct FileNameTests {
    @Test(arguments: [
        "a", "disk full.log", ".bashrc", "Bildschirmfoto – 3.png", "ログ.txt", "-rf", "...", "a:b", "~", "%2F", " ", "👩‍🚒",
        "quo\"te'", String(repeating: "x", count: 255), String(repeating: "ü", count: 127),
    ])
    func `a plain name is kept as it is`(text: String) {
        #expect(FileName(text)?.text == text)
        #expect(FileName(nearest: text).text == text)
        #expect(FileName.fault(in: text) == nil)
    }

    @Test(arguments: [
        ("", "empty"), (String(repeating: "x", count: 256), "256"), (String(repeating: "ü", count: 128), "256"),
        ("a/b", "'/'"), ("/etc/passwd", "'/'"), ("..\\x", "'/'"), ("/\u{301}", "'/'"), ("a\0b", "control"),
        ("a\nb", "control"), ("a\r\nb", "control"), ("\u{1B}[2J", "control"), ("a\u{7F}", "control"),
        ("a\u{85}", "control"), (".", "'.'"), ("..", "'.'"), ("photo\u{202E}gpj.exe", "control"),
        ("a\u{2066}b", "control"), ("\u{200F}", "control"), ("a\u{2028}b", "control"), ("\u{61C}x", "control"),
    ])
    func `a name that could lead elsewhere is refused, and why`(text: String, reason: String) {
        #expect(FileName(text) == nil)
        #expect(FileName.fault(in: text)?.contains(reason) == true)
    }

    @Test(arguments: [
        ("/var/log/syslog", "syslog"), ("../../etc/passwd", "passwd"), ("C:\\Users\\ada\\core.dmp", "core.dmp"),
        ("logs/", "logs"), ("", "attachment"), ("/", "attachment"), (".", "attachment"), ("..", "attachment"),
        ("a/..", "attachment"), ("../", "attachment"), ("\0", "attachment"), ("a\0b", "ab"), ("x\r\ny", "xy"),
        (".\0.", "attachment"), ("/\u{301}x", "x"), ("photo\u{202E}gpj.exe", "photogpj.exe"),
        ("\u{2029}", "attachment"),
        (String(repeating: "x", count: 300), String(repeating: "x", count: 255)),
        (String(repeating: "ü", count: 128), String(repeating: "ü", count: 127)),
    ])
    func `any text has a nearest name, which is legal`(text: String, expected: String) {
        let name = FileName(nearest: text)
        #expect(FileName(name.text) != nil)
        #expect(name.text == expected)
    }

    @Test func `a hidden name becomes a visible one`() {
        #expect(FileName.sample(".bashrc").visible.text == "_.bashrc")
        #expect(FileName.sample("a.log").visible.text == "a.log")
        let longest = FileName.sample("." + String(repeating: "x", count: 254)).visible.text
        #expect(longest.utf8.count == 255 && longest.hasPrefix("_."))
    }

    @Test(arguments: [
        ("a.log", "text/plain"), ("A.LOG", "text/plain"), ("dump.tar.gz", "application/gzip"),
        ("shot.PNG", "image/png"),
        ("a", "application/octet-stream"), (".log", "application/octet-stream"), ("a.", "application/octet-stream"),
        ("a.xyzzy", "application/octet-stream"), ("a.b/c.json", "application/json"),
    ])
    func `the media type is guessed from the extension`(name: String, expected: String) {
        let guessed = FileMediaType.guessed(from: FileName(nearest: name))
        #expect(guessed == expected)
        #expect(MediaType.validEssence(guessed) == guessed)
    }
}
