package dev.signalbox.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.signalbox.kernel.machine.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MachineWriterTest {
  private static final Machine DOOR =
      MachineBuilder.machine("door")
          .state("OPEN", s -> s.on("close", t -> t.to("SHUT").when("size(event.by) > 0")))
          .state("SHUT", s -> s.on("open", "OPEN"))
          .build();

  @Test
  void every_extension_gives_a_text_that_names_the_states() {
    assertThat(MachineWriter.EXTENSIONS)
        .containsExactlyInAnyOrder("yaml", "scxml", "mmd", "dot", "puml", "json");
    for (String extension : MachineWriter.EXTENSIONS) {
      assertThat(MachineWriter.write(DOOR, extension, new Problems("door")))
          .as(extension)
          .contains("OPEN", "SHUT", "close");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"yaml", "scxml"})
  void the_formats_that_say_everything_give_the_machine_back(String extension) {
    Problems problems = new Problems("door");
    String text = MachineWriter.write(DOOR, extension, problems);
    assertThat(problems.hasErrors()).isFalse();
    assertThat(MachineReader.read(new Source("door." + extension, text))).isEqualTo(DOOR);
  }

  @Test
  void an_unknown_extension_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MachineWriter.write(DOOR, "docx", new Problems("door")));
  }
}
