import EventLoop
import Testing

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1:8080"), ("0.0.0.0:0", "0.0.0.0:0"),
    ("[::1]:65535", "[::1]:65535"), ("[2001:db8:0::1]:1", "[2001:db8::1]:1"),
  ])
  func isReadAsItIsWritten(text: String, shown: String) throws {
    let address = try #require(SocketAddress(text))
    #expect(address.description == shown)
    #expect("\(address.port)" == shown.split(separator: ":").last.map(String.init))
  }

  @Test(arguments: [
    "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http",
    "::1:8080", "[::1]", "256.1.1.1:80", "[::1:80",
  ])
  func refusesWhatIsNoAddress(text: String) {
    #expect(SocketAddress(text) == nil)
  }

  @Test func anEmptyHostIsEveryAddress() throws {
    let address = try #require(SocketAddress(":80"))
    #expect(["0.0.0.0:80", "[::]:80"].contains(address.description))
  }
}
