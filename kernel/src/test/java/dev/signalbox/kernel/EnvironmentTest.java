package dev.signalbox.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.EventRule.Standing;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentTest {
  private static final Environment.Sender STRANGER = caller("eve");
  private static final Environment.Sender APPROVER = caller("ann", "approver");

  private static Environment.Sender caller(String name, String... roles) {
    return new Environment.Sender.Caller(new Actor(Actor.Kind.USER, name, List.of(roles)));
  }

  private static EventType type(String name, String... roles) {
    return new EventType(name, null, null, List.of(roles));
  }

  private static Environment environment(
      Machine.Mode mode, List<EventType> events, List<String> replies, String... descriptors) {
    State.Builder state = State.named("A");
    for (String descriptor : descriptors) {
      state.transition(Transition.on(descriptor, "A"));
    }
    for (String reply : replies) {
      state.onEntry(List.of(new Action.Perform("work", reply, true, Payload.NONE)));
    }
    State root = State.named(Machine.ROOT).child(state.build()).build();
    return Environment.of(
        new Machine("m", 1, mode, null, List.of(), events, root, List.of(), Limits.DEFAULT));
  }

  private static Environment strict(
      List<EventType> events, List<String> replies, String... descriptors) {
    return environment(Machine.Mode.STRICT, events, replies, descriptors);
  }

  private static Environment scxml(
      List<EventType> events, List<String> replies, String... descriptors) {
    return environment(Machine.Mode.SCXML, events, replies, descriptors);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "approve.x",
        "approve.",
        "approve..x",
        ".approve",
        "approve.*",
        "APPROVE",
        "apprové",
        "approve\u2024x",
        "approve x",
        " approve",
        "approve ",
        "",
        ".",
        "*",
        "approve*",
        "approv"
      })
  void strictly_only_what_the_author_wrote_is_a_name(String name) {
    Environment environment = strict(List.of(type("approve", "approver")), List.of(), "approve");
    assertThat(environment.rule(name).standing()).isEqualTo(Standing.UNKNOWN);
    assertThat(environment.rule(name).permits(APPROVER)).isFalse();
    assertThat(environment.rule("approve").permits(APPROVER)).isTrue();
    assertThat(environment.rule("approve").permits(STRANGER)).isFalse();
  }

  @Test
  void a_descriptor_that_ends_with_a_dot_is_the_name_without_it() {
    Environment environment = strict(List.of(), List.of(), "approve.");
    assertThat(environment.names()).containsExactly("approve");
    assertThat(environment.rule("approve.x").standing()).isEqualTo(Standing.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"approve.*", "approve*", "*"})
  void what_a_pattern_covers_still_needs_the_roles_and_data_of_the_names_above(String pattern) {
    EventType approve =
        new EventType("approve", null, Type.object(Map.of("n", Type.INT)), List.of("approver"));
    Environment environment = strict(List.of(approve), List.of(), pattern);
    assertThat(environment.rule("approve.x").permits(STRANGER)).isFalse();
    assertThat(environment.rule("approve.x.y").permits(STRANGER)).isFalse();
    EventRule below = environment.rule("approve.x");
    assertThat(below.permits(APPROVER)).isTrue();
    assertThat(below.refusal(Map.of("n", "one"), APPROVER))
        .extracting(Rejection::code)
        .isEqualTo(Rejection.Code.DATA_MISMATCH);
    assertThat(below.refusal(Map.of("n", 1L), APPROVER)).isNull();
    assertThat(environment.rule("approve..x").standing()).isEqualTo(Standing.UNKNOWN);
  }

  @Test
  void a_declared_pattern_asks_for_its_roles_below_it() {
    Environment environment = strict(List.of(type("pay.*", "clerk")), List.of(), "pay.*");
    assertThat(environment.rule("pay.now").permits(STRANGER)).isFalse();
    assertThat(environment.rule("pay").permits(STRANGER)).isFalse();
    assertThat(environment.rule("pay.now").permits(caller("bob", "clerk"))).isTrue();
  }

  @Test
  void every_declared_name_above_must_permit_it_in_both_modes() {
    List<EventType> events = List.of(type("pay.refund", "manager"), type("pay", "clerk"));
    for (Environment environment :
        List.of(strict(events, List.of(), "pay", "pay.refund"), scxml(events, List.of(), "pay"))) {
      EventRule refund = environment.rule("pay.refund");
      assertThat(refund.permits(caller("bob", "clerk"))).isFalse();
      assertThat(refund.permits(caller("mia", "manager"))).isFalse();
      assertThat(refund.permits(caller("zoe", "clerk", "manager"))).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"approve.x", "approve.", "approve..x", "approve.x.y"})
  void in_scxml_mode_names_below_a_declared_one_are_held_to_it(String name) {
    Environment environment = scxml(List.of(type("approve", "approver")), List.of(), "other");
    assertThat(environment.rule(name).permits(STRANGER)).isFalse();
    assertThat(environment.rule(name).permits(APPROVER)).isTrue();
    assertThat(environment.rule("whatever").permits(STRANGER)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pay.succeeded",
        "pay.succeeded.x",
        "pay.failed.",
        "pay.unknown..x",
        "done.state.A",
        "done.",
        "error.execution",
        "error.x.y",
        "error.",
        "(start)",
        "(x"
      })
  void names_of_the_engine_are_its_own_even_where_they_are_written(String name) {
    for (Environment environment :
        List.of(
            strict(List.of(type(name)), List.of("pay"), name, "*", "pay.*"),
            scxml(List.of(type(name)), List.of("pay"), name, "*", "pay.*"))) {
      assertThat(environment.rule(name).standing()).isEqualTo(Standing.RESERVED);
      assertThat(environment.names()).doesNotContain(name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pay", "pay.x", "error", "done"})
  void what_a_pattern_covers_is_not_the_engines_to_be_said_by_others(String name) {
    for (Environment environment :
        List.of(
            strict(List.of(), List.of("pay"), "pay.*", "error.*", "done.*", "*"),
            scxml(List.of(), List.of("pay"), "pay.*", "error.*", "done.*", "*"))) {
      assertThat(environment.rule(name).standing()).isEqualTo(Standing.RESERVED);
    }
    assertThat(strict(List.of(), List.of("pay"), name).rule(name).isOpen()).isTrue();
  }

  @Test
  void nobody_is_of_the_program_or_a_machine_by_being_given_its_role() {
    Environment environment =
        strict(List.of(type("tick", "system"), type("tell", "machine:m")), List.of(), "tick");
    assertThat(environment.rule("tick").permits(caller("eve", "system"))).isFalse();
    assertThat(environment.rule("tick").permits(new Environment.Sender.Caller(Actor.SYSTEM)))
        .isTrue();
    assertThat(environment.rule("tick").isForCallers()).isFalse();
    assertThat(environment.rule("tell").permits(caller("eve", "machine:m"))).isFalse();
    assertThat(environment.rule("tell").permits(new Environment.Sender.Instance("m", false)))
        .isTrue();
    assertThat(environment.rule("tell").permits(new Environment.Sender.Instance("n", false)))
        .isFalse();
    assertThat(environment.rule("tell").permits(new Environment.Sender.Instance("n", true)))
        .isTrue();
    assertThat(environment.rule("tell").permits(new Environment.Sender.Instance(null, true)))
        .isFalse();
    assertThat(environment.rule("tell").isForInstances()).isTrue();
    assertThat(environment.rule("tick").isForInstances()).isFalse();
  }

  @Test
  void descriptors_say_where_their_events_come_from() {
    Environment environment =
        strict(
            List.of(type("order.sent")),
            List.of("pay"),
            "order.*",
            "pay.*",
            "done.invoke.kid",
            "error",
            "go");
    assertThat(environment.names(List.of("order.*"))).containsExactly("order.sent");
    assertThat(environment.isOpen("order.*")).isTrue();
    assertThat(environment.isOpen("pay.*")).isFalse();
    assertThat(environment.isOpen("done.invoke.kid")).isFalse();
    assertThat(environment.isOpen("error.*")).isTrue();
    assertThat(environment.isOpen("error.execution")).isFalse();
    assertThat(environment.isOpen("*")).isTrue();
    assertThat(environment.replies("pay.*")).containsExactly("pay");
    assertThat(environment.replies("pay.unknown")).containsExactly("pay");
    assertThat(environment.replies("go")).isEmpty();
    assertThat(environment.outcomes("pay")).containsExactly("succeeded", "failed", "unknown");
    assertThat(environment.hearsUnknown(List.of("go", "pay.unknown.*"))).isEqualTo("pay");
    assertThat(environment.hearsUnknown(List.of("pay.succeeded", "pay.unknown.x"))).isNull();
    assertThat(environment.isEngineGiven("pay.failed")).isTrue();
    assertThat(environment.isEngineGiven("error.communication")).isTrue();
    assertThat(environment.isEngineGiven("pay.failed.x")).isFalse();
    assertThat(environment.isEngineGiven("error")).isFalse();
    assertThat(Environment.hearsChildEnd("done.invoke.kid")).isTrue();
    assertThat(Environment.hearsChildEnd("done.*")).isTrue();
    assertThat(Environment.hearsChildEnd("done.state.A")).isFalse();
  }

  @Test
  void a_step_matches_as_it_always_did() {
    for (String descriptor : List.of("a", "a.", "a.*", "a*", "a.*.")) {
      assertThat(Trigger.core(descriptor)).isEqualTo("a");
    }
    assertThat(Trigger.core("*")).isEmpty();
    assertThat(Trigger.isPattern("a.")).isFalse();
    assertThat(Trigger.isPattern("a.*")).isTrue();
    assertThat(Trigger.matches("a", "a.b")).isTrue();
    assertThat(Trigger.matches("a", "ab")).isFalse();
  }
}
