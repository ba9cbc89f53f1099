import StrataDomain
import StrataService

/// `GET /shifts`: the shifts of the user, each with a form that renames it.
struct ShowShifts: RoutedEndpoint {
    static let route = Route.get("/shifts")
    typealias Response = HTMLPage
}

/// `POST /shifts`: the form of a shift.
struct RenameShift: RoutedEndpoint {
    static let route = Route.post("/shifts")
    typealias Response = HTMLPage

    struct Form: FormBody {
        var id: String
        var version: Int
        var title: String
    }

    @Body var form: Form
}

extension HTMLPage {
    static func shifts(_ shifts: [Stored<Shift>], for caller: PageCaller) -> HTMLPage {
        let forms = shifts.map { shift in
            """
            <form method="post" action="/shifts">
            \(caller.formField)
            <input type="hidden" name="id" value="\(HTMLText.escaped(shift.id.rawValue))">
            <input type="hidden" name="version" value="\(shift.version)">
            <input name="title" value="\(HTMLText.escaped(shift.title))" aria-label="Title" required maxlength="200">
            <button>Rename</button>
            </form>
            """
        }
        let html = """
            <!doctype html>
            <html lang="en">
            <head><meta charset="utf-8"><title>Shifts</title></head>
            <body>
            <h1>Shifts of \(HTMLText.escaped(caller.user.username))</h1>
            \(forms.joined(separator: "\n"))
            </body>
            </html>
            """
        return HTMLPage(html: html, styleNonce: "")
    }
}
