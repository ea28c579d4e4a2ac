import ASCII
import HTTP
import JSON
import Records
import Registry

/// Imports installations: an export of ours, or records that `postilion import` makes of the export
/// of another service.
///
/// ``ImportRun`` reads a body in batches, and ``ImportSource`` makes an ``ImportRecord`` of each
/// line. ``ImportWriter`` reads the stored installations, lets ``ImportBatch`` decide on one record
/// after the other by ``ImportDecision``, and lets the registrar write the changes.
/// ``ImportMemory`` knows the changes that are not written yet.
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

struct ImportOrder: Sendable {
  var app: AppRecord
  var isDryRun: Bool
  /// The condition on installations that a dry run counts separately.
  var condition: InstallationCondition?
}

/// The codes of records that an import rejects, besides the codes of reports and ``RecordFault``.
enum ImportFault: String, Sendable, CaseIterable {
  /// The record's token belongs to another installation, which is newer.
  case tokenOwned = "token_owned"
  /// Others keep changing the same installation or its tokens.
  case outrun = "conflict"
  /// The database does not take the record.
  case notStorable = "not_storable"

  func problem(at pointer: String = "", _ detail: String) -> InputProblem {
    InputProblem(pointer: pointer, code: rawValue, detail: detail)
  }
}

extension InputFailure {
  init(_ fault: ImportFault, at pointer: String = "", _ detail: String) {
    self.init([fault.problem(at: pointer, detail)])
  }
}
