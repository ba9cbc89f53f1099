import FoundationEssentials
import StrataDomain
import StrataService

/// `GET /device`: the page on which a user logs a device in. The code of a link is filled in; nothing else happens.
struct ShowDevicePage: RoutedEndpoint {
    static let route = Route.get("/device")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "The page on which a user logs a device in.", problems: [403: ["sign_in_disabled"]])

    @Query var userCode: String?
}

/// `POST /device`: the forms of the page.
struct SendDevicePage: RoutedEndpoint {
    static let route = Route.post("/device")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "The forms of the page. Failures that a user can mend are pages with status 200.",
        problems: [403: ["sign_in_disabled"]], statuses: [403: "The page, for a form that another site sent."])

    @Body var form: DeviceForm
}

/// Code, name and password; code and the token of a session; or the ticket of the question, and what the user decided.
struct DeviceForm: FormBody {
    var userCode: String?
    var username: String?
    var password: String?
    var formToken: String?
    var ticket: String?
    var decision: String?
}

/// What the pages `/device` and `/password-reset` show.
enum DevicePage: Sendable {
    /// The form for the code, and for name and password unless the browser has a session.
    case signIn(DeviceSignIn)
    /// Whether this device is to be logged in.
    case question(DeviceGrant, userCode: String, username: String, ticket: String)
    /// The form for the name of the account that is to get a mail.
    case askReset(error: String?)
    /// The form for a new password, with the name of its account, under which a password manager stores it.
    case newPassword(token: String, username: String, error: String?)
    /// The end, well or not, and whether the page links to `/signin`.
    case result(title: String, text: String, leadsToSignIn: Bool = false)

    /// The values of the template.
    var values: [String: Any] {
        switch self {
        case .signIn(let form): return ["title": "Log in a device", "signIn": form.values]
        case .question(let grant, let userCode, let username, let ticket):
            let question = [
                "device": grant.device, "address": grant.address.isEmpty ? "unknown" : grant.address,
                "time": RFC3339.string(from: grant.createdAt), "userCode": userCode, "username": username,
                "ticket": ticket,
            ]
            return ["title": "Is this your device?", "question": question]
        case .askReset(let error):
            return ["title": "Reset your password", "askReset": error.map { ["error": $0] } ?? [:]]
        case .newPassword(let token, let username, let error):
            var form = ["token": token, "username": username]
            form["error"] = error
            return ["title": "Choose a new password", "newPassword": form]
        case .result(let title, let text, let leadsToSignIn):
            return ["title": title, "result": text, "leadsToSignIn": leadsToSignIn]
        }
    }
}

/// The first form of `/device`.
struct DeviceSignIn: Sendable {
    var userCode: String
    var username: String
    var error: String?
    /// Who is signed in with this browser; the form then asks for the code alone.
    var caller: PageCaller?
    /// Whether name and password are accepted.
    var takesPassword: Bool
    var provider: OpenIDLink?

    /// The values of the template.
    var values: [String: Any] {
        var values: [String: Any] = ["userCode": userCode, "username": username]
        values["error"] = error
        values["form"] = caller != nil || takesPassword ? true : nil
        if let caller {
            values["caller"] = ["name": caller.user.username, "token": caller.session.formToken]
        } else {
            values["provider"] = provider?.values
        }
        return values
    }
}
