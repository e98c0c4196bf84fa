package dev.signalbox.runtime;

import dev.signalbox.journal.Hashing;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A command under an idempotency key. The key belongs to the instance and to the actor: two actors
 * may use the same one, and one actor gets the answer of the first time for the same command alone.
 *
 * @param digest of what is asked, SHA-256 in hexadecimal: everything but who asks, under which key
 *     and in which trace
 */
record KeyUse(String key, Actor actor, String digest) {

  /** The use of the command's key; null when it has none. */
  static @Nullable KeyUse of(Command command) {
    String key = command.key();
    return key == null ? null : new KeyUse(key, actor(command), digest(command, key));
  }

  /** What tells this use apart from those of other actors. */
  String owner() {
    return owner(actor, key);
  }

  static String owner(Actor actor, String key) {
    return actor.kind().name() + actor.name().length() + ":" + actor.name() + key;
  }

  /** Whether the actor is the one of an entry's event. */
  boolean isOf(@Nullable Object event) {
    return event instanceof Map<?, ?> map
        && map.get("actor") instanceof Map<?, ?> wrote
        && actor.name().equals(wrote.get("name"))
        && actor.kind().name().toLowerCase(Locale.ROOT).equals(wrote.get("kind"));
  }

  private static String digest(Command command, String key) {
    Map<String, @Nullable Object> asked = new TreeMap<>();
    // What a service names by its key is the same, however it puts it.
    boolean named = ServiceKey.isOne(key);
    describe(command, asked, named);
    byte[] text = CanonicalJson.text(asked).getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(new Hashing().chain(new byte[0], text));
  }

  private static void describe(
      Command command, Map<String, @Nullable Object> asked, boolean named) {
    switch (command) {
      case Command.Start start -> {
        asked.put("command", "start");
        asked.put("machine", named ? name(start.machine()) : start.machine());
        asked.put("id", start.id());
        asked.put("input", named || start.input().isEmpty() ? null : start.input());
      }
      case Command.Send send -> {
        asked.put("command", "send");
        asked.put("instance", send.instance());
        asked.put("event", send.event());
        asked.put("data", named ? null : send.data());
        asked.put("expected_sequence", named ? null : send.expectedSequence());
      }
      case Command.Cancel cancel -> {
        asked.put("command", "cancel");
        asked.put("instance", cancel.instance());
        asked.put("reason", named ? null : cancel.reason());
      }
      case Command.Pause pause -> {
        asked.put("command", "pause");
        asked.put("instance", pause.instance());
        asked.put("clocks", pause.clocks().name().toLowerCase(Locale.ROOT));
      }
      case Command.Resume resume -> {
        asked.put("command", "resume");
        asked.put("instance", resume.instance());
      }
      case Command.Correct correct -> {
        asked.put("command", "correct");
        asked.put("instance", correct.instance());
        asked.put("reason", named ? null : correct.reason());
      }
      case Command.GiveUp giveUp -> {
        asked.put("command", "give up");
        asked.put("instance", giveUp.instance());
        asked.put("reply", giveUp.reply());
        asked.put("reason", named ? null : giveUp.reason());
      }
      case Command.Fork fork -> {
        asked.put("command", "fork");
        asked.put("instance", fork.instance());
        asked.put("sequence", fork.sequence());
        asked.put("id", fork.id());
      }
      case Command.Migrate migrate -> {
        asked.put("command", "migrate");
        asked.put("instance", migrate.instance());
        asked.put("to", (long) migrate.toVersion());
        asked.put("states", migrate.states());
      }
      case Command.Erase erase -> {
        asked.put("command", "erase");
        asked.put("instance", erase.instance());
      }
      case Command.Branch branch -> describe(branch.fork(), asked, named);
      case Command.Restore restore -> describe(restore.correct(), asked, named);
      case Command.Fire _, Command.Deliver _, Command.Conclude _ ->
          throw new IllegalArgumentException("What the engine does by itself has no key.");
    }
  }

  private static Actor actor(Command command) {
    return switch (command) {
      case Command.Start start -> start.actor();
      case Command.Send send -> send.actor();
      case Command.Cancel cancel -> cancel.actor();
      case Command.Pause pause -> pause.actor();
      case Command.Resume resume -> resume.actor();
      case Command.Correct correct -> correct.actor();
      case Command.GiveUp giveUp -> giveUp.actor();
      case Command.Fork fork -> fork.actor();
      case Command.Migrate migrate -> migrate.actor();
      case Command.Erase erase -> erase.actor();
      case Command.Branch branch -> branch.fork().actor();
      case Command.Restore restore -> restore.correct().actor();
      case Command.Fire _, Command.Deliver _, Command.Conclude _ -> Actor.SYSTEM;
    };
  }

  /** The name in a reference to a machine, which may have a version behind it. */
  static String name(String machine) {
    int at = machine.indexOf('@');
    return at < 0 ? machine : machine.substring(0, at);
  }
}
