/// What can be done with accounts; built once over the repositories and handed to commands.
package struct Accounts: Sendable {
    package let logIn: LogIn
    package let logOut: LogOut
    package let whoAmI: WhoAmI
    package let sessions: ManageSessions
    package let users: ManageUsers
    package let hostTokens: ManageHostTokens

    package init(
        sessions: any SessionRepository, users: any UserRepository, hostTokens: any HostTokenRepository
    ) {
        logIn = LogIn(sessions)
        logOut = LogOut(sessions)
        whoAmI = WhoAmI(sessions)
        self.sessions = ManageSessions(sessions)
        self.users = ManageUsers(users)
        self.hostTokens = ManageHostTokens(hostTokens)
    }
}
