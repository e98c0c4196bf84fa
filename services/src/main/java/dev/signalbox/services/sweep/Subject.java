package dev.signalbox.services.sweep;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.RowFault;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One instance that is looked at, and what can be asked of it and of the store around it. */
public final class Subject {
  private final Surroundings around;
  private final InstanceRow row;
  private final @Nullable Instance view;

  Subject(Surroundings around, InstanceRow row) {
    this.around = around;
    this.row = row;
    this.view = around.view(row);
  }

  public InstanceRow row() {
    return row;
  }

  /** The instance, or null when its row can't be read. */
  public @Nullable Instance view() {
    return view;
  }

  public String machine() {
    return around.machine(row.machine());
  }

  public boolean isLive() {
    return row.status() == InstanceRow.Status.LIVE;
  }

  /** Whether something was written to it less than a grace ago. */
  public boolean isFresh() {
    return row.at() > around.now() - around.settings().grace().toMillis();
  }

  public Surroundings around() {
    return around;
  }

  @Nullable RowFault fault() {
    return around.fault(row);
  }

  Finding finding(String kind, String reason, Correction correction) {
    return new Finding(
        kind,
        row.id(),
        machine(),
        row.sequence(),
        view == null ? List.of() : view.leaves(),
        reason,
        correction);
  }
}
