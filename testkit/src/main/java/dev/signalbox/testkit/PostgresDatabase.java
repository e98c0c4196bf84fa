package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.postgres.PostgresJournal;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** A store in a PostgreSQL database that is empty at first; time there passes by itself. */
public final class PostgresDatabase implements SimulatedStore {
  private final String url;
  private final Journal view;
  private final List<Journal> opened = new ArrayList<>();
  private long reopened;

  public PostgresDatabase(String url) {
    this.url = url;
    this.view = PostgresJournal.open(url, null, null);
  }

  @Override
  public String kind() {
    return "postgres";
  }

  @Override
  public Journal open(InstantSource nodes) {
    reopened++;
    Journal fresh = new ClosedOnce(PostgresJournal.open(url, null, null));
    opened.add(fresh);
    return fresh;
  }

  @Override
  public void killed(Journal dead) {
    opened.remove(dead);
    dead.close();
  }

  @Override
  public Journal view() {
    return view;
  }

  @Override
  public long reopened() {
    return reopened;
  }

  @Override
  public boolean isOnRealTime() {
    return true;
  }

  @Override
  public void close() {
    opened.forEach(Journal::close);
    view.close();
  }
}
