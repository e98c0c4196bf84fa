package dev.signalbox.testkit;

import dev.signalbox.journal.Group;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Turn;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.AbstractList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The store as one node sees it in bad times: any call may fail, before its work or after it, with
 * an exception, an error or the node's death; and what is written may be cut off in the middle by
 * an error or by the node's death. The turns that it gives are no better. After its death the node
 * sees nothing any more, whoever caught that.
 */
final class FaultyStore {
  /** More calls than anything takes that is done at a time. */
  private static final int MOST_CALLS = 500_000;

  static final String SIMULATED = "simulated";

  private final MailWatch to;
  private final Mishaps mishaps;
  private final Random random;
  private final SimulatedStore disk;
  private boolean dead;
  private long loads;
  private int calls;
  private boolean endless;

  /**
   * @param disk what keeps what was written
   */
  FaultyStore(MailWatch to, Mishaps mishaps, Random random, SimulatedStore disk) {
    this.to = to;
    this.mishaps = mishaps;
    this.random = random;
    this.disk = disk;
  }

  Journal journal() {
    return faulty(Journal.class, to);
  }

  /** The node dies here, whoever catches this. */
  Mishaps.Death death() {
    dead = true;
    return new Mishaps.Death();
  }

  boolean isDead() {
    return dead;
  }

  /** The node dies between two of its calls. */
  void die() {
    dead = true;
  }

  /** The node begins something that must not take for ever. */
  void begin() {
    calls = 0;
  }

  /** Whether it asked for ever. */
  boolean isEndless() {
    return endless;
  }

  /** How often an instance was loaded. */
  long loads() {
    return loads;
  }

  private <T> T faulty(Class<T> type, T part) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) ->
                method.getDeclaringClass() == Object.class
                    ? method.invoke(part, arguments)
                    : called(part, method, arguments)));
  }

  private @Nullable Object called(Object part, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (part instanceof Turn && method.getName().equals("close")) {
      // Whoever fails or dies has no turn any more.
      made(part, method, arguments);
    }
    if (dead) {
      throw new Mishaps.Death();
    }
    if (++calls > MOST_CALLS) {
      endless = true;
      throw death();
    }
    loads += method.getName().equals("load") ? 1 : 0;
    return switch (mishaps.strike(method)) {
      case null -> {
        Object made = made(part, method, arguments);
        yield made instanceof Turn turn ? faulty(Turn.class, turn) : made;
      }
      case CALL_FAILS ->
          throw new JournalException("Expected to reach the store, but can't.", null);
      case CALL_BREAKS -> throw new IllegalStateException(SIMULATED);
      case CRASH_BEFORE_CALL -> throw death();
      case ERROR_BEFORE_CALL -> throw error();
      case ERROR_AFTER_CALL -> {
        lose(made(part, method, arguments));
        throw error();
      }
      case ERROR_IN_THE_MIDDLE -> made(part, method, torn(arguments, error()));
      case CRASH_IN_CALL -> throw cutOff(part, method, arguments);
      case CRASH_AFTER_CALL -> {
        lose(made(part, method, arguments));
        throw death();
      }
      default -> {
        lose(made(part, method, arguments));
        throw new JournalException("Expected an answer, but the connection broke.", null, true);
      }
    };
  }

  /** Nobody gets what was made; a turn would keep the others waiting. */
  private static void lose(@Nullable Object made) {
    if (made instanceof Turn turn) {
      turn.close();
    }
  }

  /** The node dies in the middle of a call. */
  private Mishaps.Death cutOff(Object part, Method method, Object @Nullable [] arguments)
      throws Throwable {
    disk.remember();
    Mishaps.Death end = death();
    try {
      made(part, method, disk.isFile() ? arguments : torn(arguments, end));
    } catch (Mishaps.Death e) {
      // As it should.
    }
    disk.cutOff(random);
    to.isInDoubt();
    return end;
  }

  private static @Nullable Object made(Object part, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(part, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Whether it is one of the faults, or follows from one. */
  static boolean isSimulated(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (SIMULATED.equals(cause.getMessage()) || cause instanceof Mishaps.Death) {
        return true;
      }
    }
    return false;
  }

  private Error error() {
    return switch (random.nextInt(3)) {
      case 0 -> new StackOverflowError(SIMULATED);
      case 1 -> new NoClassDefFoundError(SIMULATED);
      default -> new OutOfMemoryError(SIMULATED);
    };
  }

  /** The same arguments, but what they list ends in an error. */
  private Object @Nullable [] torn(Object @Nullable [] arguments, Error error) {
    if (arguments == null || arguments.length != 1) {
      return arguments;
    }
    return switch (arguments[0]) {
      case Group group -> new Object[] {new Group(group.at(), torn(group.changes(), error))};
      case List<?> list -> new Object[] {torn(list, error)};
      case Collection<?> all -> new Object[] {torn(List.copyOf(all), error)};
      default -> arguments;
    };
  }

  private <T> List<T> torn(List<T> list, Error error) {
    int end = list.isEmpty() ? 0 : random.nextInt(list.size());
    // Some read it once to see what they need, and then again to write.
    int readings = random.nextInt(4);
    return new AbstractList<>() {
      private int left = readings;

      @Override
      public T get(int index) {
        if (index == end && left-- <= 0) {
          throw error;
        }
        return list.get(index);
      }

      @Override
      public int size() {
        return list.size();
      }
    };
  }
}
