internal import Content
internal import Postgres

extension Call {
  /// Changes apps or keys in one transaction; this instance knows the change on return, the others
  /// as soon as the database has told them.
  func changeDirectory<Result>(
    _ change: (Transaction) async throws -> Result
  ) async throws -> Result {
    let result = try await context.database.transaction { transaction in
      let result = try await change(transaction)
      transaction.add(SendNotice(notice: .directory))
      try await transaction.send()
      return result
    }
    do {
      try await context.shared.directory.load(context.database)
    } catch let error as PostgresError {
      // The change is committed: the answer must not say that nothing was done.
      throw PostgresError(.disconnected, error.description)
    }
    return result
  }
}
