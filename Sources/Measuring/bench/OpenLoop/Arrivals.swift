internal import Glibc

/// The requests of an open-loop run, made before the clock starts, and the times at which they are
/// due: one behind the other at the same distance, whatever becomes of them.
struct Arrivals {
  /// What arrives, as `bench/put.lua` and `bench/render.lua` make it.
  enum Kind: String {
    /// Half are new, half bring a new token and version.
    case changed
    /// Renders for one installation.
    case render
  }

  /// Of a second between two arrivals.
  let nanosecondsApart: Double
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  var count: Int { ends.count }

  /// When an arrival is due, in nanoseconds behind the first.
  func due(_ index: Int) -> Int { Int(Double(index) * nanosecondsApart) }

  /// The bytes of a request.
  func withRequest<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[(index == 0 ? 0 : ends[index - 1])..<ends[index]]))
    }
  }

  /// Makes all requests of a run.
  /// - Parameters:
  ///   - path: What the installation's key follows, or the path of a render.
  ///   - numbers: The seeded installations that are changed or read.
  init(
    _ kind: Kind, perSecond: Double, seconds: Int, path: String, key: String,
    numbers: ClosedRange<Int>, reports: String
  ) throws(Fault) {
    nanosecondsApart = 1e9 / perSecond
    let count = max(1, Int(perSecond * Double(seconds)))
    let head = """
       HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/json\r
      Authorization: Bearer \(key)\r
      Content-Length: 
      """
    func add(_ line: String, _ body: String) {
      bytes += "\(line)\(head)\(body.utf8.count)\r\n\r\n\(body)".utf8
      ends.append(bytes.count)
    }
    let formats = try contents(reports).split(separator: "\n").map { ReportFormat(String($0)) }
    guard !formats.isEmpty else { throw Fault("\(reports) is empty") }
    switch kind {
    case .changed:
      // 47 bits, other ones in every run.
      var serial = (time(nil) % 1_048_576) * 134_217_728
      for index in 1...count {
        serial += 1
        let scatter = UInt32.random(in: 0...UInt32.max)
        let token = Spelling.token(scatter, serial)
        // A stride through all of them: no two requests under way are for the same one.
        let number = numbers.lowerBound + (index * 7919) % numbers.count
        let isNew = index % 2 == 0
        let (id, user, version) =
          isNew
          ? (Spelling.id(scatter, serial), serial, "3.2.0")
          : (Spelling.seededID(number), number, "3.2.\(index)")
        let body = formats[user % formats.count].body(token: token, version: version, user: user)
        add("PUT \(path)\(id)", body)
      }
    case .render:
      let body = String(try contents("bench/render.json").prefix { $0 != "\n" })
      for _ in 1...count {
        var number = Int.random(in: numbers)
        while !formats[number % formats.count].hasToken { number = .random(in: numbers) }
        add("POST \(path)", body.replacing("INSTALLATION", with: Spelling.seededID(number)))
      }
    }
  }
}
