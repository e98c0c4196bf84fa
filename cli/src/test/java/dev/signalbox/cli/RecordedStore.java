package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.checkpoint.AppendedFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * A store with some of everything that a record has, in a folder that can be copied: orders with
 * keys and refusals, an archived one, a personal one that was erased, a machine that nobody uses,
 * checkpoints, and the same checkpoints published to a second place.
 */
final class RecordedStore {
  static final String ORDER =
      """
      machine: order
      version: 1
      context:
        note: { type: string, default: none }
      states:
        OPEN: { waits: someone, on: { write: { assign: { note: event.text } }, finish: DONE } }
        DONE: { final: true }
      """;

  private static final String GUEST =
      """
      machine: guest
      context:
        name: { type: string, default: "", personal: true }
      states:
        IN: { waits: the guest, on: { sign: { assign: { name: event.name } }, leave: OUT } }
        OUT: { final: true }
      """;

  private static final Settings SETTINGS = Settings.DEFAULT.withCheckpoints(4, Duration.ofHours(1));
  static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of());

  final Path folder;

  RecordedStore(Path folder) {
    this.folder = folder;
  }

  String url() {
    return "jdbc:sqlite:" + folder.resolve("signalbox.db");
  }

  Path export() {
    return folder.resolve("export.jsonl");
  }

  Path archives() {
    return folder.resolve("archives");
  }

  Path published() {
    return folder.resolve("published.jsonl");
  }

  Keyring keyring() {
    return Keyring.at(folder.resolve("signalbox-keys"));
  }

  String fingerprint() {
    return Objects.requireNonNull(keyring().known()).fingerprint();
  }

  /** Opens it, with its checkpoints published. */
  Signalbox open() {
    return open(url(), keyring());
  }

  Signalbox open(String url, Keyring keyring) {
    Signalbox box = Signalbox.open(url, SETTINGS, InstantSource.system(), keyring);
    AppendedFile place = new AppendedFile(published());
    box.onCheckpoint(text -> {
      try {
        place.publish(text);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    return box;
  }

  /** The first half of its life. */
  void begin(Signalbox box, String word) throws IOException {
    box.publish(MachineReader.read(new Source("order.yaml", ORDER)));
    box.publish(MachineReader.read(new Source("guest.yaml", GUEST)));
    box.publish(
        MachineReader.read(
            new Source("idle.yaml", "machine: idle\nstates:\n  END: { final: true }\n")));
    for (String id : List.of("o-1", "o-2", "o-3", "o-4")) {
      accepted(box.submit(new Command.Start("order", id, Map.of(), ANN, "start-" + id)));
      send(box, id, "write", Map.of("text", word + " of " + id));
      assertThat(box.submit(new Command.Send(id, "sing", null, ANN, null, null)))
          .isInstanceOf(Reply.Rejected.class);
    }
    accepted(box.submit(new Command.Start("guest", "g-1", Map.of(), ANN, null)));
    send(box, "g-1", "sign", Map.of("name", "Grace"));
    send(box, "g-1", "leave", null);
    var _ = box.erase("g-1", ANN);
    send(box, "o-3", "finish", null);
  }

  /** The second half. */
  void goOn(Signalbox box, String word) throws IOException {
    Files.createDirectories(archives());
    assertThat(box.archive(archives().resolve("one.jsonl"), Long.MAX_VALUE, 100, ANN).instances())
        .isGreaterThanOrEqualTo(1);
    for (String id : List.of("o-1", "o-2", "o-4")) {
      send(box, id, "write", Map.of("text", word + " at last of " + id));
    }
    send(box, "o-4", "finish", null);
  }

  static void send(Signalbox box, String id, String event, @Nullable Map<String, Object> data) {
    accepted(box.submit(new Command.Send(id, event, data, ANN, null, null)));
  }

  static void accepted(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
  }

  /** A whole store and its export. */
  static RecordedStore made(Path folder, String word) throws IOException {
    Files.createDirectories(folder);
    RecordedStore store = new RecordedStore(folder);
    try (Signalbox box = store.open()) {
      store.begin(box, word);
    }
    try (Signalbox box = store.open()) {
      store.goOn(box, word);
    }
    store.exported();
    return store;
  }

  void exported() {
    Answer answer = run("export", "--db", url(), "-o", export().toString());
    assertThat(answer.code).as(answer.out).isZero();
  }

  RecordedStore copy(Path to) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(folder.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else if (!file.toString().endsWith(".lock")) {
          Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
    return new RecordedStore(to);
  }

  List<String> lines() throws IOException {
    return new ArrayList<>(Files.readAllLines(export()));
  }

  /** What a command said. */
  record Answer(int code, String out) {
    /** The codes of what was found. */
    Set<String> codes() {
      Set<String> codes = new TreeSet<>();
      for (Object finding : (List<?>) Objects.requireNonNull(field("findings"))) {
        codes.add(String.valueOf(((Map<?, ?>) finding).get("code")));
      }
      return codes;
    }

    @Nullable Object field(String name) {
      try {
        return ((Map<?, ?>) Objects.requireNonNull(Json.parse(out.strip()))).get(name);
      } catch (Json.SyntaxException e) {
        throw new AssertionError(out, e);
      }
    }
  }

  static Answer run(String... args) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    return new Answer(line.execute(args), out.toString());
  }
}
