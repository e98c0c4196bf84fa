package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.journal.postgres.PostgresJournal;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** An Error of the driver, before and after what it was asked for was done. */
final class PostgresErrorsTest extends JournalFixture {
  @TempDir static Path folder;
  private static PostgresServer server;
  private static final ThreadLocal<@Nullable Trap> TRAP = new ThreadLocal<>();
  private String url = "";

  /** The next call of the method throws, before or after it is carried out. */
  private record Trap(String method, boolean after) {}

  @BeforeAll
  static void started() throws Exception {
    server = new PostgresServer(folder);
  }

  @AfterAll
  static void stopped() throws Exception {
    server.close();
  }

  @Override
  Journal open() throws Exception {
    url = server.newDatabase();
    return another();
  }

  private Journal another() {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(url);
    return PostgresJournal.open(trapped(DataSource.class, database));
  }

  @Override
  Journal reopen(Journal open) {
    open.close();
    return another();
  }

  private <T> T trapped(Class<T> type, T to) {
    InvocationHandler handler =
        (_, method, arguments) -> {
          Trap set = TRAP.get();
          boolean caught = set != null && set.method().equals(method.getName());
          if (set != null && caught && !set.after()) {
            TRAP.set(null);
            throw new StackOverflowError("before " + method.getName());
          }
          Object result;
          try {
            result = method.invoke(to, arguments);
          } catch (InvocationTargetException e) {
            throw Objects.requireNonNull(e.getCause());
          }
          if (caught) {
            TRAP.set(null);
            throw new OutOfMemoryError("after " + method.getName());
          }
          return switch (result) {
            case Connection connection -> trapped(Connection.class, connection);
            case PreparedStatement statement -> trapped(PreparedStatement.class, statement);
            case null, default -> result;
          };
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private void assertChainsHoldAfterAn(Trap set) throws SQLException {
    InstanceRow one = created("one of " + set);
    InstanceRow two = created("two of " + set);
    for (boolean alone : new boolean[] {true, false}) {
      one = Objects.requireNonNull(journal.load(one.number()));
      two = Objects.requireNonNull(journal.load(two.number()));
      Change first = Change.of(one);
      Change second = Change.of(two);
      step(first, one, "more of one %s".formatted(alone), null);
      step(second, two, "more of two %s".formatted(alone), null);
      TRAP.set(set);
      try {
        assertThatThrownBy(
                () -> append(alone ? new Change[] {first} : new Change[] {first, second}))
            .isInstanceOf(Error.class);
      } catch (AssertionError e) {
        // A step that is alone commits by itself.
        assertThat(alone && set.method().equals("commit")).as("%s", e).isTrue();
      }
      TRAP.set(null);
      for (int i = 0; i < 3; i++) {
        created("after %s %s %d".formatted(set, alone, i));
      }
      assertChainsHold(journal.groups(0, 100));
    }
  }

  @Test
  void no_error_of_the_driver_breaks_a_chain() throws Exception {
    for (String method : new String[] {"executeQuery", "commit", "prepareStatement"}) {
      assertChainsHoldAfterAn(new Trap(method, false));
      assertChainsHoldAfterAn(new Trap(method, true));
    }
    journal = reopen(journal);
    assertChainsHold(journal.groups(0, 100));
  }
}
