package dev.signalbox.definition.draw;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class XmlTest {

  @Test
  void a_number_has_at_most_one_decimal() {
    assertThat(Xml.number(12)).isEqualTo("12");
    assertThat(Xml.number(12.34)).isEqualTo("12.3");
    assertThat(Xml.number(-0.04)).isEqualTo("0");
    assertThat(Xml.number(-7.26)).isEqualTo("-7.3");
  }

  @Property
  void different_texts_have_different_names(@ForAll String a, @ForAll String b) {
    assertThat(Xml.name(a).equals(Xml.name(b))).isEqualTo(a.equals(b));
    assertThat(Xml.name(a)).matches("[A-Za-z0-9_.-]*");
  }

  @Test
  void what_cannot_be_seen_is_shown_as_such() {
    assertThat(Xml.visible("a\u0000b\u202ec\nd")).isEqualTo("a\ufffdb\ufffdc d");
  }

  @Test
  void a_count_has_at_most_four_characters() {
    assertThat(Figures.text(0)).isEqualTo("0");
    assertThat(Figures.text(999)).isEqualTo("999");
    assertThat(Figures.text(1_234)).isEqualTo("1.2k");
    assertThat(Figures.text(56_789)).isEqualTo("56k");
    assertThat(Figures.text(Long.MAX_VALUE)).isEqualTo("9.2E");
    assertThat(Figures.text(-1)).isEqualTo("?");
  }
}
