package dev.signalbox.testkit;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
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

  private static final double MOST = 300;

  private final Random random;
  private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);
  private final Map<Method, Calls> calls = new HashMap<>();
  private long allCalls;
  private long total;
  private boolean over;
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
    long made;
    long failed;

    Calls(String name) {
      this.name = name;
    }
  }

  boolean chance(int inThousand) {
    return !over && random.nextInt(1_000) < inThousand;
  }

  /** What goes wrong with a call of the store, or null for nothing. */
  @Nullable Fault strike(Method method) {
    if (over && !appendsFail) {
      return null;
    }
    Calls known = calls.computeIfAbsent(method, m -> new Calls(name(m)));
    known.made++;
    allCalls++;
    boolean append = method.getName().equals("append");
    if (append && appendsFail) {
      // One failure, however often it shows.
      return Fault.CALL_FAILS;
    }
    if (over) {
      return null;
    }
    double average = (double) allCalls / calls.size();
    double inThousand = Math.min(MOST, USUAL * Math.max(append ? 5 : 0.3, average / known.made));
    if (random.nextDouble() * 1_000 >= inThousand) {
      return null;
    }
    int dice = random.nextInt(100);
    Fault fault =
        dice < 42
            ? Fault.CALL_FAILS
            : dice < 62
                ? Fault.ANSWER_LOST
                : dice < 80
                    ? Fault.CALL_ENDS_IN_ERROR
                    : dice < 94
                        ? (isWriting(method) ? Fault.ERROR_IN_THE_MIDDLE : Fault.CALL_FAILS)
                        : dice < 97 ? Fault.CRASH_BEFORE_CALL : Fault.CRASH_AFTER_CALL;
    return struck(known, fault);
  }

  /** Whether the call is given things to write one after the other. */
  private static boolean isWriting(Method method) {
    return switch (method.getName()) {
      case "append", "keepKeys", "archive", "condemnKeys", "destroyKeys" -> true;
      default -> false;
    };
  }

  private Fault struck(Calls known, Fault fault) {
    known.failed++;
    count(fault);
    return fault;
  }

  /** From now on every append fails, or as many as usual. */
  void appendsFail(boolean always) {
    appendsFail = always;
  }

  private static String name(Method method) {
    return method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(",", "(", ")"));
  }

  void count(Fault fault) {
    counts.merge(fault, 1L, Long::sum);
    total += fault.isFailure() ? 1 : 0;
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

  /** How often each method of the store failed. */
  Map<String, Long> methods() {
    Map<String, Long> methods = new TreeMap<>();
    calls.values().forEach(known -> methods.put(known.name, known.failed));
    return methods;
  }
}
