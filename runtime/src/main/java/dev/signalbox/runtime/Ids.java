package dev.signalbox.runtime;

import dev.signalbox.journal.Hashing;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Ids of instances. A new one is the machine's name, the time and chance, so that younger ones come
 * later. What somebody else chooses must be text that every store can keep and find.
 */
final class Ids {
  /** The most characters of an id; what is invoked has those of its parent in its own. */
  static final int LONGEST = 500;

  private static final char REPLACEMENT = '\ufffd';
  private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final int TIME = 9;
  private static final int CHANCE = 7;

  private final RandomGenerator random;

  Ids(RandomGenerator random) {
    this.random = random;
  }

  String fresh(String machine, long now) {
    StringBuilder id = new StringBuilder(machine).append('-');
    for (int i = TIME - 1; i >= 0; i--) {
      id.append(DIGITS.charAt((int) (now >>> (5 * i)) & 31));
    }
    for (int i = 0; i < CHANCE; i++) {
      id.append(DIGITS.charAt(random.nextInt(32)));
    }
    return id.toString();
  }

  /** The same id for the same key of the same actor. */
  static String ofKey(String machine, Actor actor, String key) {
    return ofKey(machine, "\u0000" + KeyUse.owner(actor, key));
  }

  /** The id that was made of a key when a key belonged to nobody. */
  static String ofKey(String machine, String key) {
    byte[] hash =
        new Hashing()
            .chain(machine.getBytes(StandardCharsets.UTF_8), key.getBytes(StandardCharsets.UTF_8));
    return machine + "-" + HexFormat.of().formatHex(hash, 0, 10);
  }

  /** Why no instance may have the id, or null. */
  static @Nullable String fault(String id) {
    if (id.isEmpty()) {
      return "it is empty";
    }
    if (id.length() > LONGEST) {
      return "it has %,d characters, and %d are the most".formatted(id.length(), LONGEST);
    }
    return isText(id) ? null : "it has characters that are no text";
  }

  /** Whether an instance could have the id at all. */
  static boolean isText(String id) {
    for (int i = 0; i < id.length(); ) {
      int c = id.codePointAt(i);
      if (isNoText(c)) {
        return false;
      }
      i += Character.charCount(c);
    }
    return true;
  }

  /** The same text without what is none; nobody has the id that comes of it. */
  static String text(String id) {
    if (isText(id)) {
      return id;
    }
    StringBuilder text = new StringBuilder(id.length());
    id.codePoints().forEach(c -> text.appendCodePoint(isNoText(c) ? REPLACEMENT : c));
    return text.toString();
  }

  private static boolean isNoText(int c) {
    return Character.isISOControl(c)
        || c == REPLACEMENT
        || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
  }

  /** Why the command can't be about the instance that it names, or null. */
  static @Nullable Rejection refusal(Command command) {
    String named;
    String fresh = null;
    switch (command) {
      case Command.Start start -> {
        named = null;
        fresh = start.id();
      }
      case Command.Branch branch -> {
        named = branch.fork().instance();
        fresh = branch.fork().id();
      }
      case Command.Send send -> named = send.instance();
      case Command.GiveUp giveUp -> named = giveUp.instance();
      case Command.Cancel cancel -> named = cancel.instance();
      case Command.Pause pause -> named = pause.instance();
      case Command.Resume resume -> named = resume.instance();
      case Command.Migrate migrate -> named = migrate.instance();
      case Command.Erase erase -> named = erase.instance();
      case Command.Fork _,
          Command.Correct _,
          Command.Restore _,
          Command.Fire _,
          Command.Deliver _,
          Command.Conclude _ ->
          named = null;
    }
    String fault = fresh == null ? null : fault(fresh);
    if (fault != null) {
      return Admission.rejection(
          Rejection.Code.BAD_DATA,
          "Expected an id for a new instance, but %s; choose another.".formatted(fault));
    }
    return named == null || isText(named) ? null : Admission.unknownInstance(text(named));
  }
}
