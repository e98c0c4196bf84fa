package dev.signalbox.definition.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Texts that are as large as they may be and shaped to hurt: none takes five seconds. */
class LimitsTest {
  private static final long NANOS = 5_000_000_000L;

  /** Pieces that are repeated until the text is full, for the languages with nesting. */
  private static final List<String> PIECES =
      List.of(
          "[",
          "{",
          "(",
          "{a: ",
          "- ",
          "? ",
          "&a ",
          "*a ",
          "x",
          " ",
          "\n",
          "\t",
          "'",
          "\"",
          "#",
          "# c\n",
          "a: b\n",
          "!",
          "%",
          "%%",
          ":",
          "|",
          ">",
          "\\",
          "---\n",
          "...\n",
          "9",
          "<",
          "<a>",
          "<state>",
          "<state id='a'/>",
          "&amp;",
          "<!--",
          "<![CDATA[",
          "]]>",
          "<?x ",
          "state a {\n",
          "A --> B\n",
          "[*] --> A\n",
          "note left of A\n",
          "```mermaid\n",
          "```\n",
          "a.b.",
          "a(",
          "!!",
          "--",
          "x ? ",
          "[1,",
          "\u00e9",
          "\ud83d\ude00",
          "\u0000",
          "\ud800");

  @ParameterizedTest
  @EnumSource
  void the_largest_text_is_read_or_refused_in_time(FuzzTarget target) {
    List<String> pieces = new ArrayList<>(PIECES);
    pieces.addAll(target.seeds().subList(0, 2));
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Map<String, Long> slow = new LinkedHashMap<>();
    for (String piece : pieces) {
      String text = piece.repeat(Source.LARGEST / piece.length());
      long before = threads.getCurrentThreadCpuTime();
      target.read(text);
      long nanos = threads.getCurrentThreadCpuTime() - before;
      if (nanos > NANOS) {
        slow.put(piece, nanos);
      }
    }
    assertThat(slow).isEmpty();
  }
}
