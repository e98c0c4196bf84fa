package dev.signalbox.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QuickJsonTest {
  private static final List<String> USUAL =
      List.of(
          "{\"instance\":\"i-0\",\"states\":[\"ON\",\"Größe\"],\"context\":{\"n\":-1,\"x\":0.25},"
              + "\"timers\":[{\"id\":\"a\",\"due\":1795014245241,\"event\":{\"data\":null}}]}",
          "{}",
          "[]",
          "[[],{},\"\",0,-0,10,true,false,null]",
          "{\"a_name_that_is_longer_than_those_that_are_kept\":1.5}",
          "123456789012345678");

  private static final List<String> UNUSUAL =
      List.of(
          "",
          " 1",
          "[1, 2]",
          "01",
          "-",
          "1.",
          ".5",
          "1e3",
          "1.5E3",
          "1.2.3",
          "1234567890123456789",
          "\"a\\nb\"",
          "\"a\nb\"",
          "\"open",
          "[1",
          "[1,]",
          "{\"a\"}",
          "{\"a\":}",
          "{a:1}",
          "{\"a\":1,}",
          "tru",
          "nulls",
          "[1]]",
          "[".repeat(102) + "]".repeat(102),
          "NaN");

  private static @Nullable Object quick(String text) {
    return QuickJson.parse(text.getBytes(UTF_8));
  }

  @Test
  void what_snapshots_usually_are_is_read_as_the_other_reader_does() throws Exception {
    for (String text : USUAL) {
      assertThat(quick(text)).as(text).isEqualTo(Json.parse(text));
    }
  }

  @Test
  void anything_else_is_left_to_the_other_reader() {
    for (String text : UNUSUAL) {
      assertThat(quick(text)).as(text).isSameAs(QuickJson.GAVE_UP);
    }
  }

  @Test
  void however_a_text_is_spoilt_both_readers_agree_or_the_quick_one_gives_up() throws Exception {
    Random random = new Random(5);
    List<String> all = new ArrayList<>(USUAL);
    all.addAll(UNUSUAL);
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = all.get(random.nextInt(all.size())).getBytes(UTF_8);
      for (int j = random.nextInt(3); j >= 0 && bytes.length > 0; j--) {
        byte[] from = all.getFirst().getBytes(UTF_8);
        bytes[random.nextInt(bytes.length)] =
            random.nextInt(8) == 0 ? (byte) random.nextInt() : from[random.nextInt(from.length)];
      }
      Object value = QuickJson.parse(bytes);
      if (value != QuickJson.GAVE_UP) {
        assertThat(value).isEqualTo(Json.parse(new String(bytes, UTF_8)));
        read++;
      }
    }
    assertThat(read).isGreaterThan(1_000);
  }
}
