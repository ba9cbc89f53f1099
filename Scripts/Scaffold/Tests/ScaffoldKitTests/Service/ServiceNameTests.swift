import ScaffoldKit
import Testing

struct ServiceNameTests {
    @Test(arguments: ["Orders", "OrderTracking", "Crm", "HTTPCheck", "B2B", "Warehouse12"])
    func `a plain name in capitals is a service's`(name: String) throws {
        #expect(try ServiceName.checked(name).upperCamel == name)
    }

    @Test(arguments: [
        ("", "needs a name"), ("orders", "begin with a capital"), ("1Orders", "begin with a capital"),
        ("O", "one letter"),
        ("Order-Desk", "other than"), ("Order Desk", "other than"), ("Örders", "other than"), ("Оrders", "other than"),
        ("../x", "other than"), ("a\nb", "other than"), ("$(id)", "other than"), ("'Orders'", "other than"),
        (String(repeating: "O", count: 300), "300 bytes"), ("Strata", "the template"), ("StrataKit", "the template"),
        ("Shiftlog", "the template"), ("MyShiftlog", "the template"), ("Test", "systems have"), ("Git", "systems have"),
        ("Sync", "systems have"), ("OrderServer", "leave it out"),
    ])
    func `what could not be built, or would hide something, is refused with the reason`(name: String, reason: String) {
        let error = #expect(throws: ScaffoldRefusal.self) { try ServiceName.checked(name) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(
            error?.description.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } == true, "nothing a terminal would act on")
    }
}
