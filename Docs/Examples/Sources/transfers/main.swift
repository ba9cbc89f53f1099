import StrataClient

let address = CommandLine.arguments[1]
let file = CommandLine.arguments[2]

let client = try StrataClient(address)
do throws(NetworkError) {
    // A form, streamed from the disk.
    let body = try await DiskFileBodies().body(ofFileAt: file, contentType: "application/octet-stream")
    let form = MultipartForm([.field("note", "a file"), .file("file", named: "data.bin", body)])
    let size = try await client.upload(PathEndpoint<Int>(.post, "/files"), body: form.body())
        .value
    print("uploaded:", size)

    // The server breaks off once; the rest is asked for with Range, and the digest is compared.
    let downloads = ResumableDownloads(client: client, resilience: .shared)
    let found = try await downloads.download(
        PathEndpoint<NoContent>(.get, "/content"), DownloadRequest(path: file + ".copy"), options: CallOptions())
    print("downloaded:", found.bytes, found.isVerified ? "verified" : "not verified")
} catch {
    print(error)
}
