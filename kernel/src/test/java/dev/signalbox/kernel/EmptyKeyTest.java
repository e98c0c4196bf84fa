package dev.signalbox.kernel;

import static dev.signalbox.kernel.machine.Operand.expr;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A correlation key that is the empty text is a key like any other. */
class EmptyKeyTest {
  private static final Payload ID =
      new Payload(List.of(Payload.Param.of("id", expr("event.id"))), null);
  private static final Fact PAID = new Fact.Emits("paid", "id");
  private static final Fact SHIPPED = new Fact.Emits("shipped", "id");
  private static final Chart SHOP =
      KernelTest.chart(
          KernelTest.machine(
              List.of(),
              List.of(
                  new Invariant.Times("once", Severity.FATAL, PAID, 0, 1),
                  new Invariant.Before("first", Severity.FATAL, SHIPPED, PAID)),
              State.named("OPEN")
                  .transition(emits("pay", "paid", ID))
                  .transition(emits("ship", "shipped", ID))
                  .transition(emits("scrap", "paid", Payload.NONE))
                  .build()));

  private static Transition emits(String event, String kind, Payload data) {
    return new Transition(
        Trigger.on(event), null, List.of(), false, List.of(new Action.Emit(kind, data)), null);
  }

  private static Answer send(Snapshot before, String event, String id, EmptyKeys keys) {
    return Kernel.step(SHOP, before, Event.external(event, Map.of("id", id)), 0, true, keys);
  }

  private static Snapshot sent(Snapshot before, String event, String id) {
    return ((Step) send(before, event, id, EmptyKeys.DISTINCT)).after();
  }

  private static void refused(Snapshot before, String event, String id) {
    assertThat(send(before, event, id, EmptyKeys.DISTINCT))
        .isInstanceOfSatisfying(
            Rejection.class, r -> assertThat(r.code()).isEqualTo(Rejection.Code.INVARIANT_BROKEN));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "null", "a", "\u0000"})
  void each_key_counts_for_itself_alone(String key) {
    Snapshot at = sent(KernelTest.started(SHOP), "pay", "b");
    refused(at, "ship", key);
    at = sent(at, "pay", key);
    refused(at, "pay", key);
    refused(at, "pay", "b");
    refused(at, "ship", "c");
    at = sent(sent(at, "ship", key), "ship", "b");
    assertThat(at.memory().monitors().get("once")).isEqualTo(Map.of("b", 1L, key, 1L));
  }

  @Test
  void a_record_without_fields_does_not_forget_the_others() {
    Snapshot at = sent(sent(KernelTest.started(SHOP), "pay", "b"), "scrap", "");
    refused(at, "pay", "b");
    refused(at, "ship", "c");
  }

  @Test
  void what_was_written_down_before_is_replayed_as_it_was() {
    Snapshot at = sent(KernelTest.started(SHOP), "pay", "b");
    Snapshot old = ((Step) send(at, "pay", "", EmptyKeys.EMPTY_MEANS_ALL)).after();
    assertThat(old.memory().monitors()).containsEntry("once", 1L);
    assertThat(send(old, "pay", "b", EmptyKeys.EMPTY_MEANS_ALL)).isInstanceOf(Step.class);
  }

  @Test
  void an_entry_needs_to_say_so_only_where_it_matters() {
    assertThat(SHOP.meetsEmptyKey(List.of(new Step.Emitted("paid", Map.of("id", ""))))).isTrue();
    assertThat(SHOP.meetsEmptyKey(List.of(new Step.Emitted("paid", null)))).isTrue();
    assertThat(SHOP.meetsEmptyKey(List.of(new Step.Emitted("paid", Map.of("id", "b"))))).isFalse();
    assertThat(SHOP.meetsEmptyKey(List.of(new Step.Emitted("other", Map.of("id", ""))))).isFalse();
  }
}
