internal import Glibc

/// What to measure, and for how long.
struct Plan: Sendable {
  /// The rows in the order in which they run: those with a service of their own come first, so
  /// that the large database does not vacuum beside them.
  static let names = [
    "P10", "P7", "P6", "P2", "P3", "P1", "latency", "P8", "P4", "P5", "P11", "P9",
  ]
  /// Only measured when asked for.
  static let extraNames = ["feed", "growth10m", "rivals", "micro", "instructions"]
  static let usage = """
    usage: bench [option]... [row...]

    Measures the release binary beside wrk, pgbench, nginx and its physical bound, and writes
    bench/results.json.
    Rows: P1 to P11, and latency: P1 and P3 at half of the highest rate, by arrivals that wait for
    nobody. Without any, all of these. Only when asked for:
      feed          P1 beside P1 without the feed of changes
      growth10m     P9 with 10,000,000 installations: 30 GB of disk, an hour
      rivals        the same calls of FastAPI with asyncpg, which make bench installs
      micro         single steps, in nanoseconds
      instructions  single steps, in instructions, beside those in bench/instructions.json

      --population mixed|uniform  of the installations; default: mixed
      --seconds N  of each run of a load, 1 to 60; default: 8
      --rounds N   runs of each load and of its reference, 1 to 9; default: 3
      --svg FILE   makes a picture of the ratios
      --rival NAME=PROGRAM  measures one more program with rivals; it answers the calls of
                   bench/rivals/fastapi_service.py at PORT, and has the same variables
      --update     stores the instructions that are counted now as those agreed on
      --run STEP --times N   runs one step, for Valgrind or perf to look at
      --open-loop name=value...   sends the requests of latency, for the bench itself
      --bound name=value...       takes requests with bare mechanisms, for the bench itself
    """

  var rows: [String] = []
  /// What the installations are like.
  var profiles = Profiles.mixed
  var seconds = 8
  var rounds = 3
  /// Whether the instructions counted now are stored.
  var updates = false
  /// The file of the picture.
  var picture: String?
  /// Programs that are measured with rivals.
  var rivals: [(name: String, program: String)] = []
  /// The one step to run, and how many times.
  var step: String?
  var times = 1

  init(_ arguments: [String]) throws(Fault) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--seconds": seconds = try Self.number(rest.popFirst(), 1...60)
      case "--rounds": rounds = try Self.number(rest.popFirst(), 1...9)
      case "--population":
        guard let chosen = Profiles(rawValue: rest.popFirst() ?? "") else {
          throw Fault("--population is mixed or uniform")
        }
        profiles = chosen
      case "--svg": picture = rest.popFirst()
      case "--rival": rivals.append(try Self.rival(rest.popFirst()))
      case "--update": updates = true
      case "--help":
        say(Self.usage)
        end(0)
      case "--run": step = rest.popFirst()
      case "--times": times = try Self.number(rest.popFirst(), 1...1_000_000)
      case _ where (Self.names + Self.extraNames).contains(argument): rows.append(argument)
      default: throw Fault("bench knows no \(argument)\n\n\(Self.usage)")
      }
    }
    if rows.isEmpty { rows = Self.names }
  }

  private static func rival(
    _ text: String?
  ) throws(Fault) -> (name: String, program: String) {
    let parts = (text ?? "").split(separator: "=", maxSplits: 1)
    guard parts.count == 2, access(String(parts[1]), X_OK) == 0 else {
      throw Fault("--rival is NAME=PROGRAM, of a program that can be run")
    }
    return (String(parts[0]), String(parts[1]))
  }

  private static func number(
    _ text: String?, _ range: ClosedRange<Int>
  ) throws(Fault) -> Int {
    guard let number = text.flatMap({ Int($0) }), range.contains(number) else {
      throw Fault(usage)
    }
    return number
  }
}
