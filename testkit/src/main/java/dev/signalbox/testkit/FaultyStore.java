package dev.signalbox.testkit;

import dev.signalbox.journal.Group;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Turn;
import java.lang.reflect.InvocationHandler;
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
 * an error. After its death the node sees nothing any more, whoever caught that.
 */
final class FaultyStore implements InvocationHandler {
  /** More calls than anything takes that is done at a time. */
  private static final int MOST_CALLS = 500_000;

  static final String SIMULATED = "simulated";

  private final Journal to;
  private final Mishaps mishaps;
  private final Random random;
  private boolean dead;
  private long loads;
  private int calls;
  private boolean endless;

  FaultyStore(Journal to, Mishaps mishaps, Random random) {
    this.to = to;
    this.mishaps = mishaps;
    this.random = random;
  }

  Journal journal() {
    return (Journal)
        Proxy.newProxyInstance(
            Journal.class.getClassLoader(), new Class<?>[] {Journal.class}, this);
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

  @Override
  public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return method.invoke(this, arguments);
    }
    if (dead) {
      throw new Mishaps.Death();
    }
    if (++calls > MOST_CALLS) {
      endless = true;
      throw death();
    }
    loads += method.getName().equals("load") ? 1 : 0;
    Fault fault = mishaps.strike(method);
    if (fault == null) {
      return made(method, arguments);
    }
    boolean late = random.nextBoolean();
    switch (fault) {
      case CALL_FAILS ->
          throw new JournalException("Expected to reach the store, but can't.", null);
      case CRASH_BEFORE_CALL -> throw death();
      case CALL_ENDS_IN_ERROR -> {
        if (late) {
          lose(made(method, arguments));
        }
        // Memory comes back; a stack that overflows while a command is worked out is its own fault.
        throw new OutOfMemoryError(SIMULATED);
      }
      case ERROR_IN_THE_MIDDLE -> {
        return made(method, torn(arguments));
      }
      default -> {
        lose(made(method, arguments));
      }
    }
    if (fault == Fault.CRASH_AFTER_CALL) {
      throw death();
    }
    throw new JournalException("Expected an answer, but the connection broke.", null, true);
  }

  /** Nobody gets what was made; a turn would keep the others waiting. */
  private static void lose(@Nullable Object made) {
    if (made instanceof Turn turn) {
      turn.close();
    }
  }

  private @Nullable Object made(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(to, arguments);
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
    return random.nextBoolean()
        ? new StackOverflowError(SIMULATED)
        : new OutOfMemoryError(SIMULATED);
  }

  /** The same arguments, but what they list ends in an error. */
  private Object @Nullable [] torn(Object @Nullable [] arguments) {
    if (arguments == null || arguments.length != 1) {
      return arguments;
    }
    return switch (arguments[0]) {
      case Group group -> new Object[] {new Group(group.at(), torn(group.changes()))};
      case List<?> list -> new Object[] {torn(list)};
      case Collection<?> all -> new Object[] {torn(List.copyOf(all))};
      default -> arguments;
    };
  }

  private <T> List<T> torn(List<T> list) {
    int end = list.isEmpty() ? 0 : random.nextInt(list.size());
    // Some read it once to see what they need, and then again to write.
    int readings = random.nextInt(4);
    Error error = error();
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
