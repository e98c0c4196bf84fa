package dev.signalbox.definition.mermaid;

import static dev.signalbox.definition.mermaid.Diagrams.machine;
import static dev.signalbox.definition.mermaid.Diagrams.only;
import static dev.signalbox.definition.mermaid.Diagrams.problems;
import static dev.signalbox.definition.mermaid.Diagrams.read;
import static dev.signalbox.definition.mermaid.Diagrams.transitions;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the prose on an arrow becomes a trigger. */
class LabelsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          go                             | go
          order.placed                   | order.placed
          re-open                        | re-open
          start_turn(input)              | start_turn
          validate()                     | validate
          interrupt / steer              | interrupt steer
          Timeout / no fallback          | timeout no_fallback
          Checksum/lineage failed        | checksum_lineage_failed
          Intent accepted                | intent_accepted
          Uncertainties & policy allows  | uncertainties_policy_allows
          don't stop                     | dont_stop
          submit [form valid]            | submit
          submit [form valid] / save     | submit
          submit / save()                | submit
          [n < 0]                        | n_lt_0
          n >= 0 -> done                 | n_ge_0_done
          <b>Bold</b> move               | bold_move
          заказ принят                   | заказ_принят
          すすむ！                       | すすむ
          Resource loaded (< 3s)         | resource_loaded
          job.*                          | job.*
          *                              | *
          wait...                        | wait
          """)
  void prose_gives_event_names(String prose, String events) {
    assertThat(only(machine("[*] --> A", "A --> B : " + prose), "A").trigger().text())
        .isEqualTo(events);
  }

  @Test
  void prose_is_kept_beside_the_name_and_a_plain_word_is_not() {
    assertThat(label("Intent accepted")).isEqualTo("Intent accepted");
    assertThat(label("start_turn(input)")).isEqualTo("start_turn(input)");
    assertThat(label("go")).isNull();
  }

  private static @Nullable String label(String prose) {
    return only(machine("[*] --> A", "A --> B : " + prose), "A").label();
  }

  @Test
  void details_in_brackets_join_the_name_only_to_tell_arrows_apart() {
    Machine machine =
        machine(
            "[*] --> A",
            "A --> B : finished(more)",
            "A --> C : finished(no more calls)",
            "A --> D : crash(fatal)",
            "B --> C : submit [ok]",
            "B --> D : submit [not ok]");

    assertThat(transitions(machine, "A"))
        .containsExactly("finished.more > B", "finished.no_more_calls > C", "crash > D");
    assertThat(transitions(machine, "B")).containsExactly("submit.ok > C", "submit.not_ok > D");
  }

  @Test
  void different_words_never_give_one_name() {
    Machine machine =
        machine(
            "[*] --> A",
            "A --> B : save!",
            "A --> C : save?",
            "A --> D : save?",
            "B --> C : [n > 0]",
            "B --> D : [n == 0]");

    assertThat(transitions(machine, "A")).containsExactly("save > B", "save_2 > C", "save_2 > D");
    assertThat(transitions(machine, "B")).containsExactly("n_gt_0 > C", "n_eq_0 > D");
  }

  @Test
  void a_delay_is_a_timer() {
    Transition transition = only(machine("[*] --> A", "A --> B : after 5m"), "A");

    assertThat(transition.trigger())
        .isEqualTo(new Trigger.After(Operand.literal(Duration.ofMinutes(5)), null, false));
    assertThat(transition.label()).isNull();
  }

  @Test
  void a_condition_or_an_action_in_prose_is_a_warning() {
    assertThat(problems(read("[*] --> A", "A --> B : go [late] / log it")))
        .containsExactly("warning prose-guard 3:1", "warning prose-action 3:1");
  }

  @Test
  void a_label_without_letters_gets_a_number_and_a_warning() {
    Definition definition = read("[*] --> A", "A --> B : 🎉", "B --> A : ✅");

    assertThat(transitions(machine(definition), "A")).containsExactly("event_1 > B");
    assertThat(transitions(machine(definition), "B")).containsExactly("event_2 > A");
    assertThat(problems(definition))
        .containsExactly("warning unnamed-event 3:1", "warning unnamed-event 4:1");
  }

  @Test
  void long_prose_gives_a_short_name_of_its_own() {
    String long1 = "word ".repeat(100) + "one";
    String long2 = "word ".repeat(100) + "two";
    Machine machine = machine("[*] --> A", "A --> B : " + long1, "A --> C : " + long2);

    assertThat(transitions(machine, "A")).doesNotHaveDuplicates();
    assertThat(transitions(machine, "A")).allSatisfy(t -> assertThat(t).hasSizeLessThan(110));
  }
}
