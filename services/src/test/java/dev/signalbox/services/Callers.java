package dev.signalbox.services;

import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Sixty-four callers on real stores, each of whom makes moves in an order of its own. */
public final class Callers {
  public static final int MANY = 64;

  private Callers() {}

  /** What is raced for on the nodes of one store. */
  public interface Race {
    void on(List<Signalbox> nodes) throws Exception;
  }

  /** What a caller does next. */
  public interface Move<S> {
    void make(S service, String caller, Random random);
  }

  public static void onSqlite(Path folder, InstantSource clock, Race race) throws Exception {
    try (Signalbox box = open("jdbc:sqlite:" + folder.resolve("box.db"), clock)) {
      race.on(List.of(box));
    }
  }

  public static void onTwoNodesOfPostgres(InstantSource clock, Race race) throws Exception {
    String url = SharedPostgres.database();
    try (Signalbox one = open(url, clock);
        Signalbox two = open(url, clock)) {
      race.on(List.of(one, two));
    }
  }

  private static Signalbox open(String url, InstantSource clock) {
    return Signalbox.open(url, Settings.DEFAULT, clock);
  }

  /** Lets every caller make so many moves, all at the same time, and waits for them. */
  public static <S> void race(List<S> services, int moves, Move<S> move) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> callers = new ArrayList<>();
      for (int caller = 0; caller < MANY; caller++) {
        S service = services.get(caller % services.size());
        String name = "c" + caller;
        Random random = new Random(caller);
        callers.add(
            threads.submit(() -> {
              for (int i = 0; i < moves; i++) {
                move.make(service, name, random);
              }
            }));
      }
      for (Future<?> caller : callers) {
        caller.get(2, TimeUnit.MINUTES);
      }
    }
  }
}
