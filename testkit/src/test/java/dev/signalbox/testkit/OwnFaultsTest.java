package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Due;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Lease;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What no store should throw ends no thread of a node, and loses nothing. */
class OwnFaultsTest {
  private final ManualClock clock = new ManualClock();
  private final Set<String> broken = new HashSet<>();

  /** What breaks once and not again. */
  private final Set<String> breaking = new HashSet<>();

  private ManualSignalbox box(boolean shared) {
    ForwardingJournal store =
        new ForwardingJournal(new MemoryJournal(clock, shared)) {
          private void call(String method) {
            if (broken.contains(method) || breaking.remove(method)) {
              throw new NoClassDefFoundError(method);
            }
          }

          @Override
          public List<EffectRow> claim(
              String owner, Collection<String> names, long lease, int most) {
            call("claim");
            return super.claim(owner, names, lease, most);
          }

          @Override
          public List<Lease> renew(Collection<Lease> leases, long lease) {
            call("renew");
            return super.renew(leases, lease);
          }

          @Override
          public List<Due> due(long until, int most) {
            call("due");
            return super.due(until, most);
          }

          @Override
          public long configuration(long machine, List<String> leaves, List<String> states) {
            call("configuration");
            return super.configuration(machine, leaves, states);
          }

          @Override
          public long reserve(int count) {
            call("reserve");
            return super.reserve(count);
          }
        };
    ManualSignalbox box = new ManualSignalbox(store, Settings.DEFAULT, clock, new Random(1));
    box.onFault(_ -> {});
    box.publish(
        MachineReader.read(
            new Source(
                "caller.yaml",
                """
                machine: caller
                states:
                  IDLE: { on: { call: { to: WAITING, do: [ { perform: { effect: phone, idempotent: false } } ] } } }
                  WAITING:
                    waits: the answer
                    on: { phone.succeeded: DONE, phone.failed: FAILED, phone.unknown: UNCLEAR }
                  DONE: { final: true }
                  FAILED: { final: true }
                  UNCLEAR: { final: true }
                """)));
    box.handle("phone", _ -> Outcome.succeeded());
    var _ = box.submit(new Command.Start("caller", "c", Map.of(), Actor.SYSTEM, null));
    var _ = box.submit(Command.Send.of("c", "call", null));
    while (box.step() || box.toAppend() > 0) {
      boolean _ = box.commit();
    }
    return box;
  }

  private List<String> leaves(ManualSignalbox box) {
    for (int i = 0; i < 20; i++) {
      clock.advance(Duration.ofSeconds(1));
      box.poll();
      box.rest();
    }
    return Objects.requireNonNull(box.find("c")).leaves();
  }

  @Test
  void an_error_of_the_store_does_not_end_the_thread_that_renews_leases() {
    ManualSignalbox box = box(false);
    assertThat(box.claim()).isTrue();
    clock.advance(Settings.DEFAULT.lease());
    broken.add("renew");
    assertThatCode(box::renew).doesNotThrowAnyException();
    broken.clear();
    assertThat(leaves(box)).containsExactly("DONE");
  }

  @Test
  void nor_the_one_that_takes_effects() {
    ManualSignalbox box = box(false);
    broken.add("claim");
    assertThatCode(box::claim).doesNotThrowAnyException();
    broken.clear();
    assertThat(leaves(box)).containsExactly("DONE");
  }

  @Test
  void who_meets_the_same_error_again_and_again_rests_in_between() {
    ManualSignalbox box = box(true);
    broken.add("due");
    for (int i = 0; i < 100; i++) {
      box.poll();
      assertThat(box.step()).isFalse();
    }
    broken.clear();
    assertThat(leaves(box)).containsExactly("DONE");
  }

  @Test
  void what_an_effect_reports_outlives_a_fault_in_the_handling_of_a_fault() {
    ManualSignalbox box = box(false);
    breaking.addAll(Set.of("configuration", "reserve"));
    assertThat(leaves(box)).containsExactly("DONE");
    assertThat(breaking).isEmpty();
  }
}
