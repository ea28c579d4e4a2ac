import ASCII
import HTTP
import JSON
import Records
import Registry

/// Installations come in: an export of ours, or records that `postilion import` makes of the
/// export of another service.
///
/// A body goes through the files of this folder in this order: ``ImportRun`` reads it in batches,
/// ``ImportSource`` makes an ``ImportRecord`` of each line, ``ImportDecision`` says what a record
/// changes, and ``ImportWriter`` has the changes of a batch written.
enum Import {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/installations/import", "importInstallations", .admin,
      body: .streamed, isLong: true,
      decode: order,
      perform: { order, call in
        var run = ImportRun(order, call)
        return try await run.run(call.bodyReader)
      },
      encode: { report, _ in .json(report) })
  ]

  private static func order(_ request: Request, _ query: inout QueryReader) -> ImportOrder {
    if let format = query.text("format"), !format.isSpelled(like: "native") {
      query.refuse(
        "format", .unknownValue,
        "An import reads native records alone. postilion import --format reads the files of other "
          + "services and sends native records.")
    }
    let isDryRun = query.isDryRun()
    let parts = query.parts()
    if !parts.isEmpty, !isDryRun {
      query.refuse(
        "filter", .unknownField,
        "A filter needs dry_run=true, which counts the records that pass the filter.")
    }
    return ImportOrder(app: request.app, isDryRun: isDryRun, condition: parts.first)
  }
}

/// What an import is asked to do.
struct ImportOrder: Sendable {
  var app: AppRecord
  /// Whether nothing is written.
  var isDryRun: Bool
  /// Whose installations a dry run counts apart.
  var condition: InstallationCondition?
}

/// The codes of records that an import rejects, besides those of reports and ``RecordFault``.
enum ImportFault: String, Sendable, CaseIterable {
  /// Its token is another installation's, which is newer.
  case tokenOwned = "token_owned"
  /// Others keep changing the same installation or its tokens.
  case outrun = "conflict"
  /// The database does not take it.
  case notStorable = "not_storable"

  /// The fault at a place of the record.
  func problem(at pointer: String = "", _ detail: String) -> InputProblem {
    InputProblem(pointer: pointer, code: rawValue, detail: detail)
  }
}

extension InputFailure {
  /// A failure with one fault.
  init(_ fault: ImportFault, at pointer: String = "", _ detail: String) {
    self.init([fault.problem(at: pointer, detail)])
  }
}
