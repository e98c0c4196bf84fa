package dev.signalbox.journal;

import org.jspecify.annotations.Nullable;

/**
 * An instance as the journal keeps it between two commits.
 *
 * @param number the store's own name for it
 * @param parent the id of the instance that invoked it, or null
 * @param sequence of the newest entry
 * @param head the hash of the newest entry
 * @param refusals how many refusals there are
 * @param refusalHead the hash of the newest refusal
 * @param at when the newest entry was written
 * @param since when the instance came into its configuration
 * @param due when its next timer falls due; {@link #NEVER} when none is pending
 * @param snapshot what the runtime needs to go on, as bytes
 */
public record InstanceRow(
    long number,
    String id,
    long machine,
    @Nullable String parent,
    long configuration,
    Status status,
    long sequence,
    byte[] head,
    long refusals,
    byte[] refusalHead,
    long at,
    long since,
    long due,
    byte[] snapshot) {

  /** No timer is pending. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Whether there is such an instance, and it is paused or halted. */
  public static boolean isStanding(@Nullable InstanceRow row) {
    return row != null && (row.status == Status.PAUSED || row.status == Status.HALTED);
  }

  /** This row after one more entry that left the states as they are. */
  public InstanceRow recorded(long newSequence, byte[] newHead, long moment) {
    return new InstanceRow(
        number,
        id,
        machine,
        parent,
        configuration,
        status,
        newSequence,
        newHead,
        refusals,
        refusalHead,
        moment,
        since,
        due,
        snapshot);
  }

  /** This row after one more refusal. */
  public InstanceRow refused(long count, byte[] newHead) {
    return new InstanceRow(
        number,
        id,
        machine,
        parent,
        configuration,
        status,
        sequence,
        head,
        count,
        newHead,
        at,
        since,
        due,
        snapshot);
  }

  /** This row with another status, and its next timer due then. */
  public InstanceRow standing(Status newStatus, long newDue) {
    return new InstanceRow(
        number,
        id,
        machine,
        parent,
        configuration,
        newStatus,
        sequence,
        head,
        refusals,
        refusalHead,
        at,
        since,
        newDue,
        snapshot);
  }

  /** This row with the bytes of another snapshot. */
  public InstanceRow encoded(byte[] bytes) {
    return new InstanceRow(
        number,
        id,
        machine,
        parent,
        configuration,
        status,
        sequence,
        head,
        refusals,
        refusalHead,
        at,
        since,
        due,
        bytes);
  }

  /** What may happen to an instance. */
  public enum Status {
    /** It takes events and its timers run. */
    LIVE(0),
    /** It stands still until someone resumes it. */
    PAUSED(1),
    /**
     * One of its timers was refused, or it can't be read: it stands still until someone resumes,
     * cancels or corrects it.
     */
    HALTED(2),
    /** It reached a final state or was cancelled. */
    ENDED(3);

    private final int code;

    Status(int code) {
      this.code = code;
    }

    /** The status as the stores write it. */
    public int code() {
      return code;
    }

    /** The status that a row of a store has. Where it has none, the instance stands still. */
    public static Status stored(int code) {
      return code < LIVE.code || code > ENDED.code ? HALTED : of(code);
    }

    public static Status of(int code) {
      return switch (code) {
        case 0 -> LIVE;
        case 1 -> PAUSED;
        case 2 -> HALTED;
        case 3 -> ENDED;
        default -> throw new IllegalArgumentException("No status has the code " + code + ".");
      };
    }
  }
}
