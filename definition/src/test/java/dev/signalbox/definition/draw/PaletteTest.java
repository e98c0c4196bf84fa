package dev.signalbox.definition.draw;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contrast as WCAG 2.2 computes it. */
class PaletteTest {

  static Stream<Palette> palettes() {
    return Stream.of(Palette.LIGHT, Palette.DARK);
  }

  @ParameterizedTest
  @MethodSource("palettes")
  void words_can_be_read_on_everything_they_stand_on(Palette palette) {
    for (String ground :
        List.of(palette.canvas(), palette.fill(), palette.bar(), palette.activeFill())) {
      for (String words : List.of(palette.ink(), palette.soft())) {
        assertThat(contrast(words, ground)).as("%s on %s", words, ground).isGreaterThan(4.5);
      }
    }
    for (String words : List.of(palette.guard(), palette.timer(), palette.ghost())) {
      assertThat(contrast(words, palette.canvas())).isGreaterThan(4.5);
      assertThat(contrast(words, palette.fill())).isGreaterThan(4.5);
    }
  }

  @ParameterizedTest
  @MethodSource("palettes")
  void lines_and_frames_can_be_seen(Palette palette) {
    for (String line :
        List.of(
            palette.line(),
            palette.frame(),
            palette.timer(),
            palette.active(),
            palette.visited(),
            palette.ghost())) {
      assertThat(contrast(line, palette.canvas())).as(line).isGreaterThan(3);
    }
  }

  private static double contrast(String a, String b) {
    double light = Math.max(luminance(a), luminance(b));
    double dark = Math.min(luminance(a), luminance(b));
    return (light + 0.05) / (dark + 0.05);
  }

  private static double luminance(String colour) {
    int rgb = Integer.parseInt(colour.substring(1), 16);
    return 0.2126 * channel(rgb >> 16) + 0.7152 * channel(rgb >> 8) + 0.0722 * channel(rgb);
  }

  private static double channel(int value) {
    double share = (value & 0xff) / 255.0;
    return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
  }
}
