package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.SigningKey;
import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Verifying takes as much memory for many instances as for few. How many there are and how much
 * memory is given are the properties {@code verify.instances} and {@code verify.heap}, for a longer
 * run such as 300,000 and 512m beside a server.
 */
final class BoundedVerificationTest {
  private static final int INSTANCES = Integer.getInteger("verify.instances", 40_000);
  private static final String HEAP = System.getProperty("verify.heap", "64m");
  private static final int AT_ONCE = 2_000;

  private static final String FORM =
      """
      machine: form
      context:
        text: { type: string, default: "" }
        fields: { type: map, default: {} }
      states:
        OPEN:
          waits: somebody
          on: { fill: { assign: { text: event.text, fields: event.fields } }, close: SHUT }
        SHUT: { final: true }
      """;

  @TempDir Path folder;

  /** Starts them all and lets each go on a little, so that every one of them is alive. */
  private String filled() {
    String url = "jdbc:sqlite:" + folder.resolve("box.db");
    try (Signalbox box = Signalbox.open(url)) {
      box.publish(MachineReader.read(new Source("form.yaml", FORM)));
      Deque<CompletableFuture<Reply>> under = new ArrayDeque<>();
      for (int i = 0; i < INSTANCES; i++) {
        String id = "f-" + i;
        put(under, box.submitAsync(new Command.Start("form", id, Map.of(), Actor.SYSTEM, null)));
      }
      for (int i = 0; i < INSTANCES; i++) {
        put(
            under,
            box.submitAsync(
                Command.Send.of(
                    "f-" + i,
                    "fill",
                    Map.of(
                        "text",
                        "so much of it ".repeat(20) + i,
                        "fields",
                        Map.of("a", "1" + i, "b", "2" + i, "c", "3" + i)))));
      }
      under.forEach(BoundedVerificationTest::accepted);
    }
    return url;
  }

  private static void put(Deque<CompletableFuture<Reply>> under, CompletableFuture<Reply> reply) {
    under.add(reply);
    if (under.size() > AT_ONCE) {
      accepted(under.remove());
    }
  }

  private static void accepted(CompletableFuture<Reply> reply) {
    assertThat(reply.join()).isInstanceOf(Reply.Accepted.class);
  }

  private String verified(String what, String where) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + HEAP,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")),
                "-cp",
                System.getProperty("java.class.path"),
                VerifyingProcess.class.getName(),
                what,
                where)
            .redirectErrorStream(true)
            .start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @Test
  void many_instances_are_verified_in_little_memory_in_a_store_and_in_an_export() throws Exception {
    String url = filled();
    String sound = "%d entries of %d instances, []".formatted(2L * INSTANCES, INSTANCES);
    assertThat(verified("store", url)).endsWith(sound);
    Path export = folder.resolve("export.jsonl");
    try (Journal journal = Signalbox.read(url);
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(export))) {
      Audit.export(journal, SigningKey.fresh(), out, _ -> {});
    }
    assertThat(verified("file", export.toString())).endsWith(sound);
    assertThat(folder.resolve("tmp")).isEmptyDirectory();
  }
}
