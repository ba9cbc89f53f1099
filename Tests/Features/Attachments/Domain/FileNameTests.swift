import AttachmentsDomain
import Testing

struct FileNameTests {
    @Test(arguments: ["a", "disk full.log", ".bashrc", "Bildschirmfoto – 3.png", "ログ.txt", "-rf", "...", "a:b"])
    func `a plain name is kept as it is`(text: String) {
        #expect(FileName(text)?.text == text)
        #expect(FileName(nearest: text).text == text)
    }
}
