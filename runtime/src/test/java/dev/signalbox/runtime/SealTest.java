package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.kernel.CanonicalJson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is sealed opens with its key, in its place, and nowhere else. */
class SealTest {
  private static final String SECRET = "who-must-not-be-named";

  private static Seal seal(long number, long seed) {
    byte[] key = new byte[Seal.KEY];
    new Random(seed).nextBytes(key);
    return new Seal(number, key);
  }

  @Property(tries = 200)
  void whatever_is_sealed_opens_to_the_same_bytes_and_seals_to_the_same_again(
      @ForAll @Size(max = 300) byte[] plain, @ForAll String place, @ForAll long seed) {
    Seal seal = seal(1, seed);
    byte[] sealed = seal.bytes(place, plain);
    assertThat(Seal.isSealed(sealed)).isTrue();
    assertThat(seal.plain(place, sealed)).isEqualTo(plain);
    assertThat(seal(1, seed).bytes(place, plain)).isEqualTo(sealed);
    assertThatThrownBy(() -> seal.plain(place + "!", sealed))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> seal(1, seed + 1).plain(place, sealed))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Map<String, @Nullable Object> entry(@Nullable Object data) {
    Map<String, @Nullable Object> body = new TreeMap<>();
    body.put("at", 5L);
    body.put("changes", Map.of("name", SECRET));
    body.put(
        "children",
        List.of(
            Map.of("started", Map.of("id", "c", "instance", "i.c", "input", Map.of("n", SECRET)))));
    body.put("cleared", List.of("note"));
    body.put(
        "effects",
        List.of(
            Map.of(
                "idempotent", true, "input", SECRET, "key", "i#1", "name", "mail", "reply", "m")));
    body.put("event", Map.of("name", "go", "data", data == null ? SECRET : data));
    body.put(
        "guards",
        List.of(Map.of("answer", "no", "from", "A", "guard", "g", "on", "go", "why", SECRET)));
    body.put("instance", "i");
    body.put("kind", "event");
    body.put("log", List.of(Map.of("value", SECRET)));
    body.put("message", SECRET);
    body.put("messages", List.of(Map.of("to", "x", "event", Map.of("data", SECRET))));
    body.put(
        "microsteps",
        List.of(Map.of("entered", List.of("B"), "event", SECRET, "exited", List.of("A"))));
    body.put("output", SECRET);
    body.put("records", List.of(Map.of("kind", "k", "data", SECRET)));
    body.put("sequence", 2L);
    body.put("something_new", SECRET);
    body.put("states", List.of("B"));
    body.put(
        "timers",
        List.of(
            Map.of("scheduled", Map.of("data", SECRET, "due", 9L, "id", "t", "event", SECRET))));
    body.put(
        "violations", List.of(Map.of("invariant", "v", "message", SECRET, "severity", "warn")));
    return body;
  }

  @Test
  void an_entry_shows_what_the_machine_says_and_nothing_that_was_computed_or_sent() {
    byte[] body = CanonicalJson.bytes(entry(null));
    byte[] sealed = seal(7, 1).entry(body);
    String text = new String(sealed, StandardCharsets.UTF_8);
    assertThat(text).doesNotContain(SECRET).doesNotContain("changes").doesNotContain("cleared");
    assertThat(text)
        .contains("\"states\":[\"B\"]")
        .contains("\"key\":\"i#1\"")
        .contains("\"due\":9")
        .contains("\"sealed\":{\"key\":7,");
    assertThat(CanonicalJson.bytes(ClearPart.read(sealed))).isEqualTo(sealed);
    assertThat(seal(7, 1).opened(sealed)).isEqualTo(body);
    assertThat(seal(7, 1).opened(body)).isEqualTo(body);
  }

  @Property(tries = 100)
  void an_entry_with_any_data_opens_to_the_same_bytes(
      @ForAll @Size(max = 5) Map<Integer, Long> data, @ForAll long seed) {
    Map<String, Object> fields = new TreeMap<>();
    data.forEach((key, value) -> fields.put("f" + key, value));
    byte[] body = CanonicalJson.bytes(entry(fields));
    Seal seal = seal(1 + data.size(), seed);
    assertThat(seal.opened(seal.entry(body))).isEqualTo(body);
    assertThat(seal.entry(seal.opened(seal.entry(body)))).isEqualTo(seal.entry(body));
  }

  @Test
  void neither_half_of_an_entry_can_be_changed() {
    Seal seal = seal(7, 1);
    byte[] sealed = seal.entry(CanonicalJson.bytes(entry(null)));
    String text = new String(sealed, StandardCharsets.UTF_8);
    for (String other :
        List.of(
            text.replace("\"at\":5", "\"at\":6"),
            text.replace("\"states\":[\"B\"]", "\"states\":[\"C\"]"),
            text.replace("\"text\":\"", "\"text\":\"AAAA"))) {
      assertThatThrownBy(() -> seal.opened(other.getBytes(StandardCharsets.UTF_8)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void other_content_in_the_same_place_has_another_nonce() {
    Seal seal = seal(1, 1);
    Set<String> nonces = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      byte[] sealed = seal.bytes("here", ("text " + i).getBytes(StandardCharsets.UTF_8));
      assertThat(nonces.add(Arrays.toString(Arrays.copyOfRange(sealed, 1, 13)))).isTrue();
    }
  }

  @Test
  void a_wrapped_key_is_bound_to_its_instance_and_to_its_wrapping_key() {
    WrappingKey wrapping = WrappingKey.fresh();
    byte[] key = new byte[Seal.KEY];
    new Random(3).nextBytes(key);
    byte[] wrapped = wrapping.wrap(5, key, new Random(4));
    assertThat(wrapping.unwrap(5, wrapped)).isEqualTo(key);
    assertThat(wrapping.unwrap(6, wrapped)).isNull();
    assertThat(WrappingKey.fresh().unwrap(5, wrapped)).isNull();
    assertThat(wrapping.unwrap(5, new byte[3])).isNull();
  }
}
