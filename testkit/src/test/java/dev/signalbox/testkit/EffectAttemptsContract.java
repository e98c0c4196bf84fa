package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Lease;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.NotStartedException;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What counts as an attempt at an effect, and what becomes of one whose handler throws. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class EffectAttemptsContract {
  private static final int ATTEMPTS = 4;

  /** Time passes by itself, so leases and delays are short. */
  private static final Settings SETTINGS =
      new Settings(
          100,
          100,
          1_024,
          1L << 20,
          100,
          3,
          Duration.ofMillis(200),
          ATTEMPTS,
          Duration.ofMillis(1),
          16);

  private final AtomicInteger calls = new AtomicInteger();
  private @Nullable Node node;

  /** The same store each time; who had it before is gone. */
  abstract Journal open() throws Exception;

  @AfterEach
  void it_closes() {
    if (node != null) {
      node.close();
    }
  }

  /** The store as one process sees it. */
  private static final class Node extends ForwardingJournal {
    final AtomicInteger claims = new AtomicInteger();
    boolean failing;
    boolean beginFails;
    boolean dies;
    boolean diesAfter;
    private boolean dead;

    Node(Journal to) {
      super(to);
    }

    private void see() {
      if (dead) {
        throw new IllegalStateException("The process is dead.");
      }
      if (failing) {
        throw new JournalException("The store does not answer.", new IllegalStateException());
      }
    }

    @Override
    public @Nullable InstanceRow load(long number) {
      see();
      return super.load(number);
    }

    @Override
    public boolean postpone(long effect, long fence, long due, boolean released) {
      see();
      return super.postpone(effect, fence, due, released);
    }

    @Override
    public List<EffectRow> claim(String owner, Collection<String> names, long lease, int most) {
      List<EffectRow> claimed = super.claim(owner, names, lease, most);
      claims.addAndGet(claimed.size());
      return claimed;
    }

    @Override
    public List<Lease> begin(Collection<Lease> leases) {
      see();
      if (beginFails) {
        throw new JournalException("Not now.", new IllegalStateException());
      }
      dead = dies;
      see();
      List<Lease> lost = super.begin(leases);
      dead = diesAfter;
      see();
      return lost;
    }
  }

  private Node node() throws Exception {
    Node fresh = new Node(open());
    node = fresh;
    return fresh;
  }

  private ManualSignalbox box(Journal journal, EffectHandler handler) {
    ManualSignalbox box =
        new ManualSignalbox(journal, SETTINGS, InstantSource.system(), new Random(1));
    box.handle(
        "phone",
        call -> {
          calls.incrementAndGet();
          return handler.handle(call);
        });
    return box;
  }

  private ManualSignalbox asked(Node journal, boolean idempotent, EffectHandler handler) {
    ManualSignalbox box = box(journal, handler);
    box.publish(
        MachineReader.read(
            new Source(
                "caller.yaml",
                """
                machine: caller
                states:
                  IDLE: { on: { call: { to: WAITING, do: [ { perform: { effect: phone, idempotent: %s } } ] } } }
                  WAITING:
                    waits: the answer
                    on: { phone.succeeded: DONE, phone.failed: FAILED, phone.unknown: UNCLEAR }
                  DONE: { final: true }
                  FAILED: { final: true }
                  UNCLEAR: { final: true }
                """
                    .formatted(idempotent))));
    var _ = box.submit(new Command.Start("caller", "c", Map.of(), Actor.SYSTEM, null));
    var _ = box.submit(Command.Send.of("c", "call", null));
    while (box.step() || box.commit()) {
      // Until the effect is asked for; it is not taken yet.
    }
    return box;
  }

  private List<String> later(ManualSignalbox box) throws InterruptedException {
    LongWork.eventually(() -> {
      box.rest();
      return !Objects.requireNonNull(box.find("c")).leaves().contains("WAITING");
    });
    return Objects.requireNonNull(box.find("c")).leaves();
  }

  @Test
  void errors_count_as_attempts() throws Exception {
    ManualSignalbox box =
        asked(
            node(),
            true,
            _ -> {
              throw new StackOverflowError();
            });

    assertThat(later(box)).containsExactly("FAILED");
    assertThat(calls).hasValue(ATTEMPTS);
  }

  @Test
  void an_error_of_what_must_not_be_repeated_is_unknown() throws Exception {
    ManualSignalbox box =
        asked(
            node(),
            false,
            _ -> {
              throw new AssertionError("no");
            });

    assertThat(later(box)).containsExactly("UNCLEAR");
    assertThat(calls).hasValue(1);
  }

  @Test
  void what_was_not_started_is_tried_again_and_then_has_failed() throws Exception {
    ManualSignalbox box =
        asked(
            node(),
            false,
            _ -> {
              throw new NotStartedException("no line");
            });

    assertThat(later(box)).containsExactly("FAILED");
    assertThat(calls).hasValue(ATTEMPTS);
  }

  @Test
  void a_success_that_is_no_json_is_unknown_where_it_must_not_be_repeated() throws Exception {
    ManualSignalbox box = asked(node(), false, _ -> Outcome.succeeded(Double.NaN));

    assertThat(later(box)).containsExactly("UNCLEAR");
  }

  @Test
  void an_effect_that_kills_its_process_is_not_repeated_for_ever() throws Exception {
    Node first = node();
    ManualSignalbox box = asked(first, true, _ -> Outcome.succeeded());
    for (int i = 0; i < ATTEMPTS; i++) {
      LongWork.eventually(() -> first.effects(0, 1).getFirst().due() <= first.now());
      LongWork.begunByTheDead(first, "phone");
    }

    assertThat(later(box)).containsExactly("FAILED");
    assertThat(calls).hasValue(0);
  }

  @Test
  void a_failed_read_before_the_handler_leaves_the_effect_to_be_done() throws Exception {
    Node first = node();
    ManualSignalbox box = asked(first, false, _ -> Outcome.succeeded());
    first.failing = true;
    LongWork.eventually(() -> {
      boolean _ = box.perform();
      return first.claims.get() >= 3;
    });
    first.failing = false;

    assertThat(later(box)).containsExactly("DONE");
    assertThat(calls).hasValue(1);
  }

  @Test
  void what_was_cut_off_stays_so_although_the_next_who_takes_it_can_begin_nothing()
      throws Exception {
    Node first = node();
    ManualSignalbox box = asked(first, false, _ -> Outcome.succeeded());
    LongWork.begunByTheDead(first, "phone");
    var _ = box.submit(new Command.Start("caller", "d", Map.of(), Actor.SYSTEM, null));
    var _ = box.submit(Command.Send.of("d", "call", null));
    while (box.step() || box.commit()) {
      // Until there is another effect, which is to begin together with what was cut off.
    }
    LongWork.eventually(() -> first.effects(0, 1).getFirst().due() <= first.now());
    first.beginFails = true;
    boolean _ = box.claim();
    first.beginFails = false;

    assertThat(later(box)).containsExactly("UNCLEAR");
    LongWork.eventually(() -> {
      box.rest();
      return Objects.requireNonNull(box.find("d")).leaves().contains("DONE");
    });
    assertThat(calls).hasValue(1);
  }

  /** Its process is gone, without a word to the store. */
  private ManualSignalbox after(Node dead) throws Exception {
    assertThat(dead.dead).isTrue();
    return box(node(), _ -> Outcome.succeeded());
  }

  private static void takeEffects(ManualSignalbox box) {
    try {
      boolean _ = box.perform();
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("dead");
    }
  }

  @Test
  void a_process_that_dies_before_the_handler_begins_leaves_the_effect_to_be_done()
      throws Exception {
    Node first = node();
    ManualSignalbox box = asked(first, false, _ -> Outcome.succeeded());
    first.dies = true;
    takeEffects(box);
    assertThat(calls).hasValue(0);

    assertThat(later(after(first))).containsExactly("DONE");
    assertThat(calls).hasValue(1);
  }

  @Test
  void a_process_that_dies_once_the_handler_may_have_begun_leaves_it_unknown() throws Exception {
    Node first = node();
    ManualSignalbox box = asked(first, false, _ -> Outcome.succeeded());
    first.diesAfter = true;
    takeEffects(box);

    assertThat(later(after(first))).containsExactly("UNCLEAR");
    assertThat(calls).hasValue(0);
  }

  @Test
  void what_its_handler_gave_back_is_done_again_although_the_store_did_not_hear_of_it()
      throws Exception {
    Node first = node();
    ManualSignalbox box =
        asked(
            first,
            false,
            _ -> {
              if (calls.get() == 1) {
                first.failing = true;
                throw new NotStartedException("no line");
              }
              return Outcome.succeeded();
            });
    boolean _ = box.perform();
    assertThat(calls).hasValue(1);
    first.failing = false;

    assertThat(later(box)).containsExactly("DONE");
    assertThat(calls).hasValue(2);
  }
}
