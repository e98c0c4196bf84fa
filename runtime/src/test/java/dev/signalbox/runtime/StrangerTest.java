package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A stranger who has the file, the public key and docs/journal-format.md, and nothing of ours, can
 * check every hash, chain, root and signature of an export.
 */
class StrangerTest {
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of());
  private static final Pattern ENTRY = Pattern.compile("\\{\"body\":(.*),\"hash\":\"(.{64})\"}");
  private static final Pattern GROUP =
      Pattern.compile(
          "\\{\"group\":\\{\"count\":(\\d+),\"number\":(\\d+),\"previous\":(\\d+),"
              + "\"root\":\"(.{64})\",\"writer\":(\\d+)}}");
  private static final Pattern CHECKPOINT =
      Pattern.compile(
          "\\{\"checkpoint\":\\{\"body\":(.*),\"key\":\"(.*)\",\"signature\":\"(.*)\"}}");
  private static final Pattern INSTANCE =
      Pattern.compile(
          "\\{\"instance\":\\{\"head\":\"(.{64})\",\"id\":\"(.*)\",\"refusal_head\":\"(.{64})\","
              + "\"refusals\":\\d+,\"sequence\":\\d+}}");

  private final ManualClock clock = new ManualClock();
  private final Journal journal = new MemoryJournal(clock);
  private final SigningKey key = SigningKey.fresh();
  private List<String> lines = List.of();

  @BeforeEach
  void exported() throws Exception {
    ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
    box.publish(
        MachineReader.read(
            new Source(
                "lamp.yaml",
                """
                machine: lamp
                states:
                  OFF: { waits: someone, on: { switch: ON } }
                  ON: { after: { 10m: OFF }, on: { switch: OFF } }
                """)));
    for (String id : List.of("a", "b", "c", "d", "e")) {
      var _ = box.submit(new Command.Start("lamp", id, Map.of(), ANN, null));
    }
    box.rest();
    for (String id : List.of("a", "b", "c")) {
      var _ = box.submit(Command.Send.of(id, "switch", Map.of("caf\u00e9", "\u20ac")));
      var _ = box.submit(Command.Send.of(id, "sing", null));
    }
    box.rest();
    clock.advance(Duration.ofMinutes(10));
    box.rest();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Audit.export(journal, key, out, _ -> {});
    lines = out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void a_stranger_finds_everything_as_it_was_written() throws Exception {
    assertThat(isSound(lines, key.publicText())).isTrue();
    assertThat(isSound(lines, SigningKey.fresh().publicText())).isFalse();
  }

  @Test
  void and_that_anything_was_changed_removed_or_moved() throws Exception {
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!ENTRY.matcher(line).matches()) {
        continue;
      }
      List<String> removed = new ArrayList<>(lines);
      removed.remove(i);
      assertThat(isSound(removed, key.publicText())).as("without line %d", i).isFalse();
      List<String> changed = new ArrayList<>(lines);
      changed.set(i, line.replace("\"at\":", "\"at\":1"));
      assertThat(isSound(changed, key.publicText())).as("with another line %d", i).isFalse();
      if (ENTRY.matcher(lines.get(i + 1)).matches()) {
        List<String> moved = new ArrayList<>(lines);
        moved.set(i, lines.get(i + 1));
        moved.set(i + 1, line);
        assertThat(isSound(moved, key.publicText())).as("with line %d moved", i).isFalse();
      }
    }
  }

  private static boolean isSound(List<String> lines, String publicKey) throws Exception {
    Map<String, byte[]> chains = new HashMap<>();
    Map<String, byte[]> roots = new HashMap<>();
    Map<String, String> heads = new HashMap<>();
    List<byte[]> group = new ArrayList<>();
    boolean signed = false;
    for (String line : lines) {
      Matcher entry = ENTRY.matcher(line);
      Matcher end = GROUP.matcher(line);
      Matcher instance = INSTANCE.matcher(line);
      Matcher checkpoint = CHECKPOINT.matcher(line);
      if (entry.matches()) {
        byte[] body = entry.group(1).getBytes(StandardCharsets.UTF_8);
        byte[] before = chains.getOrDefault(chain(entry.group(1)), new byte[32]);
        byte[] hash = sha256(before, body);
        if (!hex(hash).equals(entry.group(2))) {
          return false;
        }
        chains.put(chain(entry.group(1)), hash);
        group.add(hash);
      } else if (end.matches()) {
        byte[] root = sha256(roots.getOrDefault(end.group(5), new byte[32]), merkle(group));
        if (group.size() != Integer.parseInt(end.group(1)) || !hex(root).equals(end.group(4))) {
          return false;
        }
        roots.put(end.group(5), root);
        heads.put(
            end.group(5),
            "{\"group\":%s,\"root\":\"%s\",\"writer\":%s}"
                .formatted(end.group(2), end.group(4), end.group(5)));
        group.clear();
      } else if (instance.matches()) {
        byte[] none = new byte[32];
        String id = instance.group(2);
        if (!hex(chains.getOrDefault(id, none)).equals(instance.group(1))
            || !hex(chains.getOrDefault(id + " refusals", none)).equals(instance.group(3))) {
          return false;
        }
      } else if (checkpoint.matches()) {
        signed =
            hasSigned(publicKey, checkpoint.group(1), checkpoint.group(3))
                && checkpoint
                    .group(1)
                    .contains("\"heads\":[" + String.join(",", heads.values()) + "],");
      }
    }
    return signed && group.isEmpty();
  }

  private static String chain(String body) {
    Matcher instance = Pattern.compile("\"instance\":\"([^\"]*)\"").matcher(body);
    assertThat(instance.find()).isTrue();
    return instance.group(1) + (body.contains("\"kind\":\"refusal\"") ? " refusals" : "");
  }

  /** The tree of RFC 6962 over the hashes, level by level; an odd node goes up as it is. */
  private static byte[] merkle(List<byte[]> hashes) throws Exception {
    List<byte[]> level = new ArrayList<>();
    for (byte[] hash : hashes) {
      level.add(sha256(new byte[] {0}, hash));
    }
    while (level.size() > 1) {
      List<byte[]> above = new ArrayList<>();
      for (int i = 0; i + 1 < level.size(); i += 2) {
        above.add(sha256(new byte[] {1}, level.get(i), level.get(i + 1)));
      }
      if (level.size() % 2 == 1) {
        above.add(level.getLast());
      }
      level = above;
    }
    return level.isEmpty() ? new byte[0] : level.getFirst();
  }

  private static boolean hasSigned(String publicKey, String text, String signature)
      throws Exception {
    byte[] encoded = Base64.getDecoder().decode(publicKey);
    Signature checked = Signature.getInstance("Ed25519");
    checked.initVerify(
        KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
    checked.update(text.getBytes(StandardCharsets.UTF_8));
    return checked.verify(Base64.getDecoder().decode(signature));
  }

  private static byte[] sha256(byte[]... parts) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (byte[] part : parts) {
      digest.update(part);
    }
    return digest.digest();
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
