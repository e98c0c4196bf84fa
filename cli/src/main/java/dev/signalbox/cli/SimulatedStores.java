package dev.signalbox.cli;

import dev.signalbox.testkit.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The stores that a simulation runs on, in turns: each seed has one of its own. */
final class SimulatedStores {
  private final List<String> kinds;
  private final @Nullable String database;

  /**
   * @param kinds memory, sqlite or postgres
   * @param database a PostgreSQL server's, whose user may make databases; null for none
   */
  SimulatedStores(List<String> kinds, @Nullable String database) {
    for (String kind : kinds) {
      if (!List.of("memory", "sqlite", "postgres").contains(kind)) {
        throw new CommandFailure(
            "Expected the stores memory, sqlite or postgres, but found '%s'.".formatted(kind));
      }
      if (kind.equals("postgres") && database == null) {
        throw new CommandFailure(
            "Expected --db with the address of a PostgreSQL server, but there is none.");
      }
    }
    this.kinds = kinds;
    this.database = database;
  }

  /** The plan on the store whose turn it is. */
  Simulation.Plan plan(Simulation.Plan memory, int turn) {
    return switch (kinds.get(turn % kinds.size())) {
      case "sqlite" -> memory.onFile(folder());
      case "postgres" -> memory.onDatabase(fresh("simulated_" + memory.seed()));
      default -> memory;
    };
  }

  private static java.nio.file.Path folder() {
    try {
      return Files.createTempDirectory("signalbox-simulation");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address of a new database beside the one that was named; an older one goes. */
  private String fresh(String name) {
    String url = String.valueOf(database);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("drop database if exists " + name);
      statement.execute("create database " + name);
    } catch (SQLException e) {
      throw new CommandFailure(
          "Expected to make the database '%s', but: %s".formatted(name, e.getMessage()));
    }
    int query = url.indexOf('?') < 0 ? url.length() : url.indexOf('?');
    return url.substring(0, url.lastIndexOf('/', query) + 1) + name + url.substring(query);
  }
}
