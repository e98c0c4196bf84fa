package dev.signalbox.runtime;

import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Rejection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was answered under an idempotency key. A key belongs to the instance and the actor; another
 * command under it is refused. Entries from before commands had digests answer whoever knows the
 * key, whatever is asked.
 */
final class AnsweredKeys {
  /** So many keys of an instance are kept in memory; of one that has more, the store is asked. */
  private static final int MOST = 256;

  private final Journal journal;

  AnsweredKeys(Journal journal) {
    this.journal = journal;
  }

  /** What a key led to before. */
  sealed interface Earlier {
    /** The same was asked, and this was answered. */
    record Answered(Reply reply) implements Earlier {}

    /** The actor asked for something else under the key. */
    record Taken(Rejection rejection) implements Earlier {}
  }

  /** An answer that is not durable yet. */
  record Pending(String digest, Reply reply) {}

  /**
   * Whether who is refused so has used the key up. Who lacks a role may get it, and then ask again;
   * who came by the wrong door may ask at the right one.
   */
  static boolean isTakenBy(Rejection rejection) {
    return switch (rejection.code()) {
      case ROLE_REQUIRED, KEY_TAKEN, RESERVED_MACHINE -> false;
      default -> true;
    };
  }

  /**
   * What the use of the key led to before, or null.
   *
   * @param event what the command would be in an entry; null for one that begins an instance
   */
  @Nullable Earlier earlier(@Nullable KeyUse use, Working working, @Nullable String event) {
    if (use == null) {
      return null;
    }
    Pending pending = working.answers.get(use.owner());
    if (pending != null) {
      return pending.digest().equals(use.digest())
          ? new Earlier.Answered(pending.reply())
          : taken(use, working);
    }
    Set<String> keys = working.keys;
    if (keys == null) {
      List<String> all = journal.keys(working.row.number(), MOST);
      keys = all == null ? null : new HashSet<>(all);
      working.keys = keys;
    }
    String old = ServiceKey.without(use.key());
    Earlier found =
        keys == null || keys.contains(use.key()) ? find(use, working, use.key(), event) : null;
    return found == null && !old.equals(use.key()) && (keys == null || keys.contains(old))
        ? find(use, working, old, event)
        : found;
  }

  private @Nullable Earlier find(KeyUse use, Working working, String key, @Nullable String event) {
    for (EntryRow entry : journal.allKeyed(working.row.number(), key)) {
      Map<?, ?> body = Ledger.opened(entry, working);
      boolean own = use.isOf(body.get("event")) && key.equals(use.key());
      if (body.get("command") instanceof String digest) {
        if (own) {
          return digest.equals(use.digest())
              ? new Earlier.Answered(Ledger.reply(entry, body, working.row.id()))
              : taken(use, working);
        }
      } else if (!working.erased) {
        return new Earlier.Answered(Ledger.reply(entry, body, working.row.id()));
      } else if (own) {
        // What was asked is erased; its name is not.
        return event == null || event.equals(name(body.get("event")))
            ? new Earlier.Answered(Ledger.reply(entry, body, working.row.id()))
            : taken(use, working);
      }
    }
    return null;
  }

  private static @Nullable Object name(@Nullable Object event) {
    return event instanceof Map<?, ?> map ? map.get("name") : null;
  }

  private static Earlier taken(KeyUse use, Working working) {
    return new Earlier.Taken(
        Admission.rejection(
            Rejection.Code.KEY_TAKEN,
            "Expected the same command of '%s' for '%s' under the key '%s', but it was given another under it. Use a new key."
                .formatted(use.actor().name(), working.row.id(), use.key())));
  }
}
