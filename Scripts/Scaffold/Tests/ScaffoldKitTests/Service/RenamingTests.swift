import Testing

@testable import ScaffoldKit

struct RenamingTests {
    @Test(arguments: [
        ("SHIFTLOG_HTTP_PORT", "a.md", "ORDER_DESK_HTTP_PORT"),
        ("shiftlog_http_total", "a.md", "order_desk_http_total"),
        ("'shiftlog login'", "a.swift", "'order-desk login'"), ("shiftlog-server", "a.swift", "order-desk-server"),
        ("@testable import shiftlog_server", "a.swift", "@testable import order_desk_server"),
        ("workspace.shiftlog(", "a.swift", "workspace.orderDesk("), ("func shiftlog(", "a.swift", "func orderDesk("),
        ("def shiftlog(", "a.py", "def orderDesk("), ("/shiftlog/", "a.swift", "/order-desk/"),
        ("Shiftlog.parse()", "Apps/CLI/Main.swift", "OrderDeskProgram.parse()"),
        ("struct ShiftlogServer {", "Apps/Backend/Main.swift", "struct OrderDeskServer {"),
        ("`Shiftlog` – of Shiftlog", "Apps/CLI/README.md", "`OrderDeskProgram` – of OrderDesk"),
        ("# Shiftlog", "README.md", "# OrderDesk"), ("shift log, Shift", "a.md", "shift log, Shift"), ("", "a.md", ""),
    ])
    func `what surrounds the word tells what it becomes`(text: String, path: String, renamed: String) {
        #expect(Renaming(name: Spelling("OrderDesk")).text(text, in: path) == renamed)
    }

    @Test(arguments: [
        ("Apps/CLI/Shiftlog.swift", "Apps/CLI/OrdersProgram.swift"),
        ("Docs/Packaging/shiftlog-sync.timer", "Docs/Packaging/orders-sync.timer"),
    ])
    func `files are renamed with what is in them`(path: String, renamed: String) {
        #expect(Renaming(name: Spelling("Orders")).path(path) == renamed)
    }
}
