package dev.signalbox.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PlacedJsonTest {
  @Test
  void everything_has_its_place_and_the_value_is_the_same() throws Exception {
    String text =
        """
        {
          "a/b": [1,
            { "c~": null }],
          "d": "x"
        }
        """;

    PlacedJson read = PlacedJson.parse(text);

    assertThat(read.value()).isEqualTo(Json.parse(text));
    assertThat(read.places())
        .containsOnlyKeys("", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/c~0", "/d")
        .containsEntry("", new Place(1, 1))
        .containsEntry("/a~1b", new Place(2, 3))
        .containsEntry("/a~1b/0", new Place(2, 11))
        .containsEntry("/a~1b/1/c~0", new Place(3, 7))
        .containsEntry("/d", new Place(4, 3));
  }

  @Test
  void a_name_that_is_there_twice_is_no_json_that_two_readers_agree_on() {
    assertThatThrownBy(() -> PlacedJson.parse("{\"a\": 1,\n \"a\": 2}"))
        .isInstanceOfSatisfying(
            Json.SyntaxException.class,
            e -> {
              assertThat(e).hasMessage("'a' is there twice");
              assertThat(e.place()).isEqualTo(new Place(2, 2));
            });
  }

  @Test
  void what_is_no_json_is_told_with_its_place() {
    for (String text : new String[] {"", "{", "[1,]", "{} {}", "nul"}) {
      assertThatThrownBy(() -> PlacedJson.parse(text)).isInstanceOf(Json.SyntaxException.class);
    }
  }
}
