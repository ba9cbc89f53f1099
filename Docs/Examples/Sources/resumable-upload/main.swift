import StrataClient

let address = CommandLine.arguments[1]
let file = CommandLine.arguments[2]

let client = try StrataClient(address)
// The record in this folder lets the next run of the program go on where this one ended.
let uploads = ResumableUploads(client: client, resilience: .shared, records: file + ".uploads")
do throws(NetworkError) {
    // The server breaks off once; it is asked how much it has, and the rest is sent.
    let request = UploadRequest(path: file, fileName: "tide.bin")
    if let sent = try await uploads.upload(PathEndpoint<Int>(.post, "/recordings"), request, options: CallOptions()) {
        print("stored:", sent.response.value)
    } else {
        print("this server cannot resume uploads; send the file with 'client.upload'")
    }
} catch {
    print(error)
}
