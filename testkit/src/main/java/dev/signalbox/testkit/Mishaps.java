package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether something goes wrong now, and how often it did. Calls of the store that are rare fail
 * more often than others, so that every one of them does.
 */
final class Mishaps {
  /** Of a thousand calls of the average method so many fail. */
  private static final double USUAL = 40;

  private static final double MOST = 400;

  /** What is given things to write one after the other. */
  private static final Set<String> LISTS =
      Set.of("append", "begin", "keepKeys", "archive", "condemnKeys", "destroyKeys");

  /** What else writes. */
  private static final Set<String> WRITES =
      Set.of("publish", "configuration", "claim", "postpone", "renew", "keepCheckpoint");

  private final Random random;
  private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);
  private final Map<Method, Calls> calls = new HashMap<>();
  private long allCalls;
  private long total;
  private boolean over;
  private boolean resting;
  private boolean appendsFail;

  Mishaps(Random random) {
    this.random = random;
  }

  /** The node dies here. */
  static final class Death extends Error {
    Death() {
      super(null, null, false, false);
    }
  }

  private static final class Calls {
    final String name;
    final boolean lists;
    final boolean writes;
    final Map<Fault, Long> failed = new EnumMap<>(Fault.class);
    long made;

    Calls(Method method) {
      this.name = name(method);
      this.lists = LISTS.contains(method.getName());
      this.writes = lists || WRITES.contains(method.getName());
    }

    /** How often it fails, beside the average method that is called so many times. */
    double inThousand(double average) {
      double least = lists ? 5 : writes ? 0.3 : 0.1;
      return Math.min(MOST, USUAL * Math.max(least, average / made));
    }
  }

  /** What the method is called in counts. */
  static String name(Method method) {
    return (method.getDeclaringClass() == Journal.class
            ? ""
            : method.getDeclaringClass().getSimpleName() + ".")
        + method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(",", "(", ")"));
  }

  boolean chance(int inThousand) {
    return !over && random.nextInt(1_000) < inThousand;
  }

  /** What goes wrong with a call of the store, or null for nothing. */
  @Nullable Fault strike(Method method) {
    if (resting || (over && !appendsFail)) {
      return null;
    }
    Calls known = calls.computeIfAbsent(method, Calls::new);
    known.made++;
    allCalls++;
    if (appendsFail && method.getName().equals("append")) {
      // One failure, however often it shows.
      return Fault.CALL_FAILS;
    }
    double average = (double) allCalls / calls.size();
    if (over || random.nextDouble() * 1_000 >= known.inThousand(average)) {
      return null;
    }
    Fault fault = fault(known, random.nextInt(100));
    known.failed.merge(fault, 1L, Long::sum);
    count(fault);
    return fault;
  }

  private static Fault fault(Calls known, int dice) {
    if (dice < 36) {
      return Fault.CALL_FAILS;
    } else if (dice < 44) {
      return Fault.CALL_BREAKS;
    } else if (dice < 62) {
      return Fault.ANSWER_LOST;
    } else if (dice < 71) {
      return Fault.ERROR_BEFORE_CALL;
    } else if (dice < 80) {
      return Fault.ERROR_AFTER_CALL;
    } else if (dice < 92) {
      return known.lists ? Fault.ERROR_IN_THE_MIDDLE : Fault.CALL_FAILS;
    } else if (dice < 95) {
      return Fault.CRASH_BEFORE_CALL;
    } else {
      return known.writes && dice < 98 ? Fault.CRASH_IN_CALL : Fault.CRASH_AFTER_CALL;
    }
  }

  /** From now on every append fails, or as many as usual. */
  void appendsFail(boolean always) {
    appendsFail = always;
  }

  void count(Fault fault) {
    counts.merge(fault, 1L, Long::sum);
    total += fault.isFailure() ? 1 : 0;
  }

  /** From now on the store does not fail, or does as usual. */
  void rest(boolean resting) {
    this.resting = resting;
  }

  /** From now on nothing goes wrong. */
  void end() {
    over = true;
  }

  boolean areOver() {
    return over;
  }

  /** How many failures there were. */
  long total() {
    return total;
  }

  Map<Fault, Long> counts() {
    return new EnumMap<>(counts);
  }

  /** How often each method of the store failed, and how. */
  Map<String, Map<Fault, Long>> methods() {
    Map<String, Map<Fault, Long>> methods = new TreeMap<>();
    calls.values().forEach(known -> methods.put(known.name, new EnumMap<>(known.failed)));
    return methods;
  }
}
