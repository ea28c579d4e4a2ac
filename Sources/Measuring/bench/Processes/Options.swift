/// What a process of the bench is told: `name=value`.
struct Options {
  private let values: [String: String]

  init(_ arguments: some Sequence<String>) {
    let pairs = arguments.compactMap { argument in
      argument.firstIndex(of: "=").map {
        (String(argument[..<$0]), String(argument[argument.index(after: $0)...]))
      }
    }
    values = Dictionary(pairs) { $1 }
  }

  func text(_ name: String) throws(Fault) -> String {
    guard let value = values[name] else { throw Fault("\(name)= is missing") }
    return value
  }

  func number(_ name: String) throws(Fault) -> Double {
    guard let number = Double(try text(name)) else { throw Fault("\(name)= is no number") }
    return number
  }
}
