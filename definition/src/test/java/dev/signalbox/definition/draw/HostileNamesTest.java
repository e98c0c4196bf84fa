package dev.signalbox.definition.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;

/** Names and labels come from strangers: whatever they hold, it is shown and does nothing. */
class HostileNamesTest {
  private static final Set<String> ELEMENTS =
      Set.of("svg", "style", "g", "rect", "circle", "path", "text", "tspan", "title");
  private static final Set<String> ATTRIBUTES =
      Set.of(
          "xmlns",
          "class",
          "role",
          "aria-label",
          "width",
          "height",
          "viewBox",
          "x",
          "y",
          "rx",
          "cx",
          "cy",
          "r",
          "d",
          "id",
          "text-anchor",
          "data-machine",
          "data-version",
          "data-state",
          "data-missing",
          "data-kind",
          "data-title",
          "data-from",
          "data-to",
          "data-trigger");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<script>alert(1)</script>",
        "\"><image href='https://example.org/x'/>",
        "' onload='alert(1)",
        "]]></style><script>",
        "--><a xlink:href=\"javascript:alert(1)\">",
        "&lt;&#0;&unknown;",
        "a\u0000b\u0007c\u001b[31m\ud800 \uffff",
        "\u202eevil\u2066\u200b",
        "line\nbreak\ttab\r",
        "/* } .canvas { fill: url(https://example.org) }"
      })
  void a_hostile_name_is_only_text(String name) {
    inert(everywhere(name));
  }

  @Property(tries = 50)
  void any_name_is_only_text(@ForAll @StringLength(max = 60) String name) {
    inert(everywhere(name));
  }

  private static void inert(Machine machine) {
    String svg = Drawing.svg(machine, Options.DEFAULT);
    Picture picture = Picture.of(svg);

    assertThat(picture.all(_ -> true)).extracting(Element::getTagName).isSubsetOf(ELEMENTS);
    for (Element element : picture.all(_ -> true)) {
      for (int i = 0; i < element.getAttributes().getLength(); i++) {
        assertThat(element.getAttributes().item(i).getNodeName()).isIn(ATTRIBUTES);
      }
    }
    assertThat(picture.all(element -> element.getTagName().equals("style"))).hasSize(1);
    assertThat(svg.codePoints().filter(c -> c != '\n' && Character.isISOControl(c))).isEmpty();
    assertThat(
            svg.codePoints()
                .filter(c -> Character.getType(c) == Character.FORMAT)
                .boxed()
                .collect(Collectors.toSet()))
        .isSubsetOf(Set.of(0x200C, 0x200D));
  }

  private static Machine everywhere(String name) {
    State group =
        State.named(name + "2")
            .child(State.named(name + "3").note(name).build())
            .child(State.named(name + "4").kind(Kind.FINAL).build())
            .transition(Transition.on(name, name + "-nowhere"))
            .build();
    State first =
        State.named(name)
            .note(name)
            .waits(name)
            .tools(List.of(name))
            .transition(Transition.on(name, name + "2").when(Guard.of(name)).labelled(name))
            .transition(Transition.to(List.of()).when(Guard.of(name)))
            .build();
    return Examples.machine(name, Examples.root().child(first).child(group).build());
  }
}
