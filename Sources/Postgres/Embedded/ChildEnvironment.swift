/// The variables that programs beside the service get: these, and none else of the service's own.
/// Whoever may run a program in the database (`COPY … FROM PROGRAM`) reads what PostgreSQL has, and
/// the service has its root key there. Variables of PostgreSQL (`PG…`), and of languages, would
/// also change what it does.
struct ChildEnvironment {
  /// Where programs are looked for.
  let path: [String]
  /// `NAME=value`.
  let pairs: [String]

  /// The names of those that are passed on: where programs are, and where their libraries are.
  private static let passedOn = ["PATH", "LD_LIBRARY_PATH"]

  /// From the variables of the service.
  init(_ inherited: [String: String]) {
    path = (inherited["PATH"] ?? "").split(separator: ":").map(String.init)
    pairs =
      Self.passedOn.compactMap { name in inherited[name].map { "\(name)=\($0)" } } + ["LC_ALL=C"]
  }
}
