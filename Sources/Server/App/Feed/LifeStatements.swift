internal import Postgres
internal import Telemetry

/// Whether a row `e` is of the same server, database, table and files. Rows of the previous release
/// do not name the files.
private let isOfTheSameFiles = """
  (split_part(e.origin, ' ', 1), split_part(e.origin, ' ', 3), split_part(e.origin, ' ', 4))
      = (split_part(now.origin, ' ', 1), split_part(now.origin, ' ', 3),
        split_part(now.origin, ' ', 4))
    AND split_part(e.origin, ' ', 6) IN ('', split_part(now.origin, ' ', 6))
  """

/// The number after the newest transaction that wrote a kept change of which readers are told, as
/// `token_history_transaction` finds it without a look at the history. A reader that was told of a
/// later transaction was told more than this database has. Other transactions on the server, which
/// no reader is told of, have later numbers.
let behindNewestChange = """
  least(\(nextTransaction), (
    SELECT (h.transaction_id::text::numeric + 1)::text::xid8
    FROM app CROSS JOIN LATERAL (
      (
        SELECT transaction_id FROM token_history
        WHERE app_id = app.id AND transaction_id IS NOT NULL AND event <> 'replaced'
        ORDER BY transaction_id DESC LIMIT 1
      ) UNION ALL (
        SELECT transaction_id FROM app_history WHERE app_id = app.id
        ORDER BY transaction_id DESC LIMIT 1
      )
    ) AS h
    ORDER BY h.transaction_id DESC LIMIT 1))
  """

/// Gives this life of the database a number, and records how far the earlier lives went in it. Each
/// session begins with this command, before it can write. So the number of a transaction tells the
/// changes that an earlier life told its readers from the changes that this life writes, and nobody
/// has to read for that.
///
/// 1. A server that takes no changes has no life of its own. If it is promoted, its sessions stay.
///    So they are made to write nothing, they are closed when a write is refused, and the next
///    sessions begin here.
/// 2. If the life has begun, there is nothing to do.
/// 3. One of all sessions begins the life, while the others wait. If the life does not go on from
///    an earlier one, the session also waits for all writers of history, and all claim codes are
///    void: a code that was used after the backup was made would be valid again.
///
/// A session that fails at this, for example on a full disk, reads and writes nothing, and is
/// closed at its first change. Only an account that may not change lives, and a schema without
/// lives, are left alone.
struct BeginLife: Command {
  /// A random number of 63 bits, so that it is no negative number in SQL.
  var number: Int64
  /// The newest transaction of which this instance has read a change.
  var newestRead: TransactionID
  /// The reason why the life begins; `nil` if the database decides it.
  var cause: LifeCause?
  /// How many earlier lives stay.
  var kept: Int64

  var query: Query<Void> { Query("\(constant: text)") }

  /// The text of the command. Its numbers do not come from outside.
  var text: String {
    """
    DO $$
    DECLARE
      cause text := '\(cause?.rawValue ?? "")';
      present text;
      ended xid8;
    BEGIN
      PERFORM set_config('\(SessionBeginning.setting)', '', false);
      IF pg_is_in_recovery() THEN
        PERFORM set_config('default_transaction_read_only', 'on', false);
        RETURN;
      END IF;
      IF to_regclass('change_epoch') IS NULL THEN
        RETURN;
      END IF;
      present := \(databaseOrigin);
      IF cause = '' AND EXISTS (SELECT FROM change_epoch WHERE origin = present) THEN
        RETURN;
      END IF;
      IF EXISTS (SELECT FROM least_program WHERE step COLLATE "C" > '\(Self.newestStep)') THEN
        RETURN;
      END IF;
      PERFORM pg_advisory_xact_lock('change_epoch'::regclass::oid::int8);
      IF cause = '' THEN
        IF EXISTS (SELECT FROM change_epoch WHERE origin = present) THEN
          RETURN;
        END IF;
    \(choice)
      END IF;
    \(beginning)
      PERFORM set_config('\(SessionBeginning.setting)', cause, false);
    EXCEPTION
      WHEN OTHERS THEN
        IF \(cause != nil) THEN
          RAISE;
        END IF;
        IF SQLSTATE NOT IN ('42501', '42703', '42P01') THEN
          PERFORM set_config('default_transaction_read_only', 'on', false);
        END IF;
    END
    $$
    """
  }

  /// A program that is too old for the schema writes nothing.
  private static let newestStep = Migration.all.last?.name ?? ""

  /// The new life goes on from the life before if the files are the same, and have all changes that
  /// this instance has read.
  private var choice: String {
    """
        SELECT CASE
          WHEN NOT EXISTS (
            SELECT FROM change_epoch AS e
            WHERE \(isOfTheSameFiles) AND ended_transaction IS DISTINCT FROM '0')
            THEN '\(LifeCause.newDatabase.rawValue)'
          WHEN '\(newestRead.number)'::xid8 >= \(nextTransaction) THEN '\(LifeCause.older.rawValue)'
          ELSE '\(LifeCause.start.rawValue)' END
        INTO cause FROM (SELECT present) AS now (origin);
    """
  }

  /// Ends the earlier lives where they went to in this database, begins the new life, and forgets
  /// the earliest lives: a reader that was told its place in one of them cannot go on. A life of
  /// the previous release ends a start later, so that instances of that release can serve beside
  /// this one.
  private var beginning: String {
    """
      IF cause = '\(LifeCause.start.rawValue)' THEN
        ended := \(behindNewestChange);
        UPDATE change_epoch SET ended_transaction = ended
        WHERE origin <> present AND ended_transaction IS NULL
          AND EXISTS (SELECT FROM change_epoch WHERE split_part(origin, ' ', 5) <> '');
      ELSE
        PERFORM set_config('lock_timeout', '\(LockLimits.milliseconds)', true);
        LOCK TABLE token_history, app_history IN SHARE MODE;
        DELETE FROM claim_code;
        UPDATE change_epoch SET ended_transaction = '0' WHERE origin <> present;
      END IF;
      INSERT INTO change_epoch AS e (origin, epoch, first_id, kept_since)
      SELECT present, \(number),
        coalesce(before.first_id, nextval('token_history_id_seq')),
        coalesce(before.kept_since, 'epoch')
      FROM (SELECT present) AS now (origin)
      LEFT JOIN LATERAL (
        SELECT max(first_id) AS first_id, max(kept_since) AS kept_since
        FROM change_epoch AS e
        WHERE cause = '\(LifeCause.start.rawValue)' AND \(isOfTheSameFiles)
      ) AS before ON true
      ON CONFLICT (origin) DO UPDATE
      SET epoch = excluded.epoch, first_id = excluded.first_id, kept_since = excluded.kept_since;
      DELETE FROM change_epoch WHERE ended_transaction < (
        SELECT ended_transaction FROM change_epoch WHERE ended_transaction IS NOT NULL
        ORDER BY ended_transaction DESC OFFSET \(kept) LIMIT 1);
    """
  }
}

extension Command where Self == Query<String> {
  /// The result of the session's last ``BeginLife``: a word of ``LifeCause``, or nothing.
  static func begunLife() -> Self {
    Query("SELECT current_setting('\(constant: SessionBeginning.setting)', true)")
  }
}

extension Shared {
  /// The command that gives this life of the database a number.
  func lifeToBegin(_ cause: LifeCause? = nil) -> BeginLife {
    BeginLife(number: randomNumber(), newestRead: newestRead, cause: cause, kept: keptLives)
  }

  /// Notes that a session has begun a life of the database; `word` is empty if it has not.
  func noteLife(_ word: String) {
    if !word.isEmpty { observation.note("life_begun", ["cause": .string(word)]) }
  }

  /// The command that each session of the service begins with; it does nothing while the program
  /// must not write.
  var sessionBeginning: SessionBeginning {
    SessionBeginning(
      command: { [weak self] in
        guard let self, observation.refusal == nil else { return "SELECT" }
        return lifeToBegin().text
      }, told: { [weak self] in self?.noteLife($0) })
  }
}
