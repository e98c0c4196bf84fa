package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Gates that are opened by what an event says of itself. */
class DecidedByDataTest {

  private static List<String> codes(String events, String guard, String invariant) {
    return Check.run(
            Checked.read(
                """
                machine: deploy
                context:
                  approver: { type: string, default: "", own: true }
                events:
                  approved: { data: { approver: string }%s }
                states:
                  PLANNED:
                    after: { 5m: DONE }
                    on:
                      approved: { to: go, when: "%s", assign: { approver: event.approver } }
                  RUNNING:
                    after: { 30m: DONE }
                    initial: go
                    states:
                      go: { waits: for the end }
                  DONE: { final: true }
                invariants:
                  - { name: approved-first, %s }
                """
                    .formatted(events, guard, invariant)))
        .problems()
        .stream()
        .map(p -> p.code())
        .filter(code -> code.equals("decided-by-data"))
        .toList();
  }

  private static final String READS = "event.approver != ''";
  private static final String PROTECTED = "always: ctx.approver != '', in: RUNNING";

  @Test
  void data_that_anybody_sends_decides_a_protected_gate() {
    assertThat(codes("", READS, PROTECTED)).containsExactly("decided-by-data");
    assertThat(codes("", READS, "before: { reaching: RUNNING, must_visit: PLANNED }"))
        .containsExactly("decided-by-data");
    assertThat(codes("", "size([event].filter(e, e.approver != '')) > 0", PROTECTED))
        .containsExactly("decided-by-data");
  }

  @Test
  void a_role_a_condition_of_its_own_or_no_protection_needs_no_word() {
    assertThat(codes(", roles: [approver]", READS, PROTECTED)).isEmpty();
    assertThat(codes(", roles: ['machine:approval']", READS, PROTECTED)).isEmpty();
    assertThat(codes("", "ctx.approver != ''", PROTECTED)).isEmpty();
    assertThat(codes("", READS, "always: \"ctx.approver != 'x'\", in: DONE")).isEmpty();
  }
}
