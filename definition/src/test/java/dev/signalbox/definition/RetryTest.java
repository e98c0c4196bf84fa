package dev.signalbox.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Retry;
import dev.signalbox.kernel.machine.Retry.Failure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How often an effect is tried, as definitions say it. */
class RetryTest {
  private static final String TEXT =
      """
      machine: m
      states:
        A:
          entry: [ { perform: { effect: pay, idempotent: true%s } } ]
          on: { "pay.*": C }
        C: { final: true }
      """;
  private static final String WHOLE =
      TEXT.formatted(
          ", retry: { attempts: 5, backoff: 2s, factor: 3, most: 5m, on: [thrown, not_started] }");

  private static Machine machine(String text) {
    return MachineReader.read(new Source("m.yaml", text));
  }

  private static Action action(Machine machine) {
    return machine.root().children().getFirst().entry().getFirst().getFirst();
  }

  @Test
  void a_declaration_is_read_whole() {
    assertThat(action(machine(WHOLE)))
        .isEqualTo(
            new Action.Perform(
                "pay",
                "pay",
                true,
                null,
                new Retry(
                    5,
                    Duration.ofSeconds(2),
                    3,
                    Duration.ofMinutes(5),
                    List.of(Failure.NOT_STARTED, Failure.THROWN)),
                Payload.NONE));
  }

  @Test
  void what_it_leaves_out_is_usual() {
    String once = TEXT.replace("true%s", "false, retry: { attempts: 3 }");

    assertThat(action(machine(once)))
        .isEqualTo(
            new Action.Perform(
                "pay",
                "pay",
                false,
                null,
                new Retry(
                    3, Duration.ofSeconds(1), 2, Duration.ofHours(1), List.of(Failure.NOT_STARTED)),
                Payload.NONE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"yaml", "scxml"})
  void it_is_written_and_read_again(String extension) {
    Machine machine = machine(WHOLE);
    Problems problems = new Problems("m");
    String text = MachineWriter.write(machine, extension, problems);

    Machine again = MachineReader.read(new Source("m." + extension, text));

    assertThat(action(again)).as(text).isEqualTo(action(machine));
    assertThat(MachineIdentity.digest(again)).isEqualTo(MachineIdentity.digest(machine));
  }

  @Test
  void a_machine_without_one_has_the_digest_it_always_had() {
    assertThat(MachineIdentity.digest(machine(TEXT.formatted(""))))
        .isEqualTo("23171cc484dc3061139784a9d1b0434aafef716f56dd2a77ab163bd88c81eaf4");
    assertThat(MachineIdentity.digest(machine(WHOLE)))
        .isNotEqualTo(MachineIdentity.digest(machine(TEXT.formatted(""))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{ attempts: 0 }|wrong-type",
        "{ attempts: many }|wrong-type",
        "{ factor: 101 }|wrong-type",
        "{ backoff: soon }|bad-duration",
        "{ on: [exploded] }|bad-retry",
        "{ tries: 3 }|unknown-key",
        "often|wrong-type"
      })
  void a_bad_one_is_told_with_its_place(String retry, String code) {
    Definition definition =
        YamlReader.read(new Source("m.yaml", TEXT.formatted(", retry: " + retry)));

    assertThat(definition.problems())
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.code()).isEqualTo(code);
          assertThat(problem.place().line()).isEqualTo(4);
          assertThat(problem.place().column()).isGreaterThan(50);
        });
  }

  @ParameterizedTest
  @CsvSource({"attempts,0", "factor,x", "backoff,soon", "retry,exploded"})
  void a_bad_attribute_is_told_with_its_place(String name, String value) {
    String text =
        MachineWriter.write(machine(WHOLE), "scxml", new Problems("m"))
            .replaceFirst(" %s=\"[^\"]*\"".formatted(name), " %s=\"%s\"".formatted(name, value));

    List<Definition> read = MachineReader.readAll(new Source("m.scxml", text), null);

    assertThat(read.getFirst().problems())
        .extracting(Problem::code)
        .containsExactly(name.equals("backoff") ? "not-a-duration" : "bad-retry");
  }

  @Test
  void the_wait_grows_up_to_the_longest() {
    Retry retry = new Retry(9, Duration.ofSeconds(2), 3, Duration.ofMinutes(1), List.of());

    assertThat(List.of(1, 2, 3, 4, 5, 1_000_000).stream().map(retry::delay))
        .extracting(Duration::toSeconds)
        .containsExactly(2L, 6L, 18L, 54L, 60L, 60L);
  }
}
