package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example of docs/testing.md, as it stands there, and what a script does beyond it. */
class TestkitExampleTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  private static final Machine ORDER =
      MachineReader.read(
          new Source(
              "order.yaml",
              """
              machine: order
              states:
                OPEN: { waits: a customer, on: { pay: PAYING } }
                PAYING:
                  entry: [ { perform: { effect: charge, idempotent: true } } ]
                  after: { 1h: UNPAID }
                  on: { charge.succeeded: PAID, charge.failed: UNPAID, charge.unknown: UNSURE }
                PAID: { final: true }
                UNPAID: { final: true }
                UNSURE: { waits: a person, on: { settle: PAID } }
              """));

  @Test
  void the_example_runs() {
    example(ORDER);
  }

  @Test
  void the_page_shows_what_runs_here() throws IOException {
    String here =
        Files.readString(
            ROOT.resolve("testkit/src/test/java/dev/signalbox/testkit/TestkitExampleTest.java"));
    String own =
        here.substring(
                here.lastIndexOf("// example\n") + 11, here.lastIndexOf("    // end of example"))
            .replaceAll("(?m)^    ", "");
    Matcher fence =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("docs/testing.md")));
    assertThat(fence.find()).isTrue();
    assertThat(fence.group(1)).isEqualTo(own);
  }

  @Test
  void an_attempt_beyond_the_script_fails_and_is_told() {
    ManualClock clock = new ManualClock();
    ManualSignalbox box =
        new ManualSignalbox(new MemoryJournal(clock), Settings.DEFAULT, clock, new Random(1));
    ScriptedEffect charge = ScriptedEffect.of(Outcome.succeeded());
    box.handle("charge", charge);
    box.publish(ORDER);
    for (String id : List.of("o-1", "o-2")) {
      var _ = box.submit(new Command.Start("order", id, Map.of(), Actor.SYSTEM, null));
      box.rest();
      assertThat(charge.isOver()).isEqualTo(id.equals("o-2"));
      var _ = box.submit(Command.Send.of(id, "pay", null));
      box.rest();
    }
    assertThat(List.of(box.at("o-1", 3), box.at("o-2", 3)))
        .extracting(Instance::leaves)
        .containsExactly(List.of("PAID"), List.of("UNPAID"));
    assertThat(charge.calls()).hasSize(2);
    assertThat(charge.isOver()).isFalse();
  }

  private static void example(Machine order) {
    // example
    ManualClock clock = new ManualClock();
    Journal journal = new MemoryJournal(clock);
    ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(7));
    ScriptedEffect charge =
        ScriptedEffect.of(new Outcome.RetryAfter(Duration.ofMinutes(5), "the bank is closed"))
            .thenBreaks("the line went dead")
            .then(Outcome.succeeded());
    box.handle("charge", charge);
    box.publish(order);
    var _ = box.submit(new Command.Start("order", "o-1", Map.of(), Actor.SYSTEM, null));
    var _ = box.submit(Command.Send.of("o-1", "pay", null));
    box.rest();
    clock.advance(Duration.ofMinutes(5));
    box.rest();
    clock.advance(Duration.ofMinutes(1));
    box.rest();

    assertThat(box.at("o-1", 3).leaves()).containsExactly("PAID");
    assertThat(charge.calls()).extracting(EffectHandler.Call::key).containsOnly("o-1#1");
    assertThat(charge.isOver()).isTrue();
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
    // end of example
  }
}
