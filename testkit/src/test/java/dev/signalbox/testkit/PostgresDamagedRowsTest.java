package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import org.junit.jupiter.api.Test;

final class PostgresDamagedRowsTest extends DamagedRowsContract {
  @Override
  String store(String name) throws Exception {
    return FlushingPostgres.shared().database(name);
  }

  @Test
  void a_time_that_its_snapshot_does_not_have_is_put_right() throws Exception {
    plant("update instance set due = 1, wake = 1 where id = ?", "damaged");
    nothing_is_due_for_ever();
    others_go_on();
    light("damaged");
    LongWork.eventually(() -> box.instance("damaged").leaf().equals("DARK"));
  }

  @Test
  void a_time_of_an_instance_that_stands_still_is_put_right() throws Exception {
    assertThat(box.submit(new Command.Pause("damaged", Command.Clocks.STOPPED, Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Accepted.class);
    plant("update instance set due = 1, wake = 1 where id = ?", "damaged");
    nothing_is_due_for_ever();
    plant("update instance set due = 1, wake = 1, snapshot = '' where id = ?", "damaged");
    nothing_is_due_for_ever();
    others_go_on();
  }

  private void nothing_is_due_for_ever() throws InterruptedException {
    LongWork.eventually(() -> box.journal().due(box.journal().now(), 10).isEmpty());
  }
}
