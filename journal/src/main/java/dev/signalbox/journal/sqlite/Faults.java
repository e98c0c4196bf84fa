package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.JournalException;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** What SQLite's errors mean to the one who has to do something about them. */
final class Faults {
  private Faults() {}

  static JournalException of(String doing, SQLException e) {
    String todo =
        e instanceof SQLiteException s
            ? switch (s.getResultCode()) {
              case SQLITE_FULL -> "the disk is full; make room, then it goes on";
              case SQLITE_READONLY,
                  SQLITE_READONLY_DBMOVED,
                  SQLITE_READONLY_DIRECTORY,
                  SQLITE_PERM,
                  SQLITE_CANTOPEN ->
                  "the file or its folder can't be written; look at its permissions";
              case SQLITE_CORRUPT, SQLITE_NOTADB ->
                  "the file is damaged or not a database; restore it and let verify tell what is"
                      + " missing";
              case SQLITE_BUSY, SQLITE_LOCKED -> "another program holds the file; end it";
              default -> "SQLite said: " + s.getMessage();
            }
            : "SQLite said: " + e.getMessage();
    return new JournalException("Expected to %s, but %s.".formatted(doing, todo), e);
  }

  /** Whether the file can't be written at all until someone does something about it. */
  static boolean isFull(SQLException e) {
    return e instanceof SQLiteException s && s.getResultCode() == SQLiteErrorCode.SQLITE_FULL;
  }
}
