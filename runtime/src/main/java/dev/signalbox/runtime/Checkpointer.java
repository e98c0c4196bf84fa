package dev.signalbox.runtime;

import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.CanonicalJson;
import java.lang.System.Logger;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts signed checkpoints into the store, after so many commits or so much time, and at the end.
 * Each says where the chains of this node's writers ended, which machines were published, and which
 * checkpoint came before it, so that a tail which is cut off later, a history that is written anew,
 * a machine that nobody published, or a checkpoint that was taken away shows in the store itself.
 */
final class Checkpointer {
  private static final Logger LOG = System.getLogger(Checkpointer.class.getName());

  private final Journal journal;
  private final @Nullable Keyring keyring;
  private final Settings settings;
  private final InstantSource clock;
  private final List<Consumer<byte[]>> listeners = new CopyOnWriteArrayList<>();
  private int groups;
  private long next;
  private boolean begun;

  /** Whether the store ends behind what is signed, as a crash leaves it. */
  private boolean behind;

  private @Nullable String last;
  private @Nullable String replaced;
  private long machinesRead = Long.MIN_VALUE;
  private @Nullable List<Map<String, Object>> machines;

  /**
   * @param keyring null for no checkpoints
   */
  Checkpointer(Journal journal, @Nullable Keyring keyring, Settings settings, InstantSource clock) {
    this.journal = journal;
    this.keyring = keyring;
    this.settings = settings;
    this.clock = clock;
    this.next = clock.millis() + settings.checkpointInterval().toMillis();
  }

  /** Somebody to be given each checkpoint's text once it is in the store; it must not wait. */
  void listen(Consumer<byte[]> listener) {
    listeners.add(listener);
  }

  /** A group was committed. */
  synchronized void committed() {
    groups++;
    if (groups >= settings.checkpointGroups() || clock.millis() >= next) {
      write(false);
    }
  }

  /** Time has passed. */
  synchronized void tick(long now) {
    if (now >= next && (groups > 0 || !begun)) {
      write(false);
    }
  }

  /** Writes the last checkpoint, if anything is there that was not signed. */
  synchronized void write() {
    write(true);
  }

  private void write(boolean end) {
    next = clock.millis() + settings.checkpointInterval().toMillis();
    if (keyring == null) {
      return;
    }
    try {
      begin(keyring);
      if (groups > 0 || behind) {
        write(keyring.signing(journal), end);
      }
    } catch (JournalException e) {
      // The next one says more.
      LOG.log(Logger.Level.WARNING, e.getMessage());
    }
  }

  private void write(SigningKey key, boolean end) {
    List<GroupHead> heads = journal.heads();
    if (heads.isEmpty()) {
      return;
    }
    Map<String, Object> body = Statements.ends(Statements.STORE, heads, clock.millis());
    if (last != null) {
      body.put("after", last);
    }
    if (replaced != null) {
      body.put("replaces", replaced);
    }
    List<Map<String, Object>> published = published(end);
    if (!published.equals(machines)) {
      body.put("machines", published);
    }
    byte[] text = CanonicalJson.bytes(Statements.signed(body, key));
    journal.keepCheckpoint(text);
    last = Statements.digest(text);
    replaced = null;
    machines = published;
    groups = 0;
    behind = false;
    listeners.forEach(listener -> listener.accept(text));
  }

  /** The machines; they are read again now and then, and at the end. */
  private List<Map<String, Object>> published(boolean end) {
    long now = clock.millis();
    boolean old = now - settings.checkpointInterval().toMillis() >= machinesRead;
    List<Map<String, Object>> known = machines;
    if (known != null && !end && !old) {
      return known;
    }
    machinesRead = now;
    return Statements.machines(journal.machines());
  }

  /** Finds out, once, where the last owner of the store left off. */
  private void begin(Keyring ring) {
    if (begun) {
      return;
    }
    Checkpoint newest = journal.newestCheckpoint();
    List<GroupHead> heads = journal.heads();
    if (newest == null) {
      behind = !heads.isEmpty();
      begun = true;
      return;
    }
    last = Statements.digest(newest.text());
    try {
      Map<?, ?> checkpoint = ClearPart.read(newest.text());
      Map<?, ?> body = (Map<?, ?>) Objects.requireNonNull(checkpoint.get("body"));
      String signer = String.valueOf(checkpoint.get("key"));
      String own = ring.signing(journal).publicText();
      if (body.get("next") instanceof String successor && !successor.equals(own)) {
        own = ring.succeeded(successor);
      }
      if (!signer.equals(own)) {
        if (own.equals(body.get("next"))) {
          replaced = signer;
        } else {
          LOG.log(
              Logger.Level.WARNING,
              "The last checkpoint of the store was signed by key {0}, and this is key {1}, which"
                  + " nothing says comes after it. Whoever verifies the store has to name both.",
              SigningKey.fingerprint(signer),
              SigningKey.fingerprint(own));
        }
      }
      List<?> told = (List<?>) Objects.requireNonNull(body.get("heads"));
      behind = replaced != null || heads.stream().anyMatch(head -> !covers(told, head));
    } catch (IllegalStateException
        | ClassCastException
        | NullPointerException
        | IllegalArgumentException e) {
      LOG.log(
          Logger.Level.WARNING,
          "The last checkpoint of the store can't be read; 'signalbox verify' tells more.");
      behind = !heads.isEmpty();
    }
    begun = true;
  }

  private static boolean covers(List<?> told, GroupHead head) {
    return told.stream()
        .anyMatch(each ->
            each instanceof Map<?, ?> one
                && Objects.equals(one.get("writer"), head.writer())
                && one.get("group") instanceof Long group
                && group >= head.group());
  }
}
