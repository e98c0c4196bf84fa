package dev.signalbox.cli;

import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.Care;
import dev.signalbox.server.Server;
import dev.signalbox.server.ServerSettings;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.notification.UrlPolicy;
import dev.signalbox.services.system.PackagedSystem;
import dev.signalbox.systems.runs.RunsSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** Everything that {@code signalbox up} starts, on a store of its own and a free port. */
final class House implements AutoCloseable {
  /** Alerts as always; sweeps would put right what tests write into the store by hand. */
  private static final Care CARE =
      Care.STANDARD.every(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(1));

  final Signalbox box;
  final Server server;

  private House(Signalbox box, Server server) {
    this.box = box;
    this.server = server;
  }

  static House open(Path folder) {
    return open(folder, List.of());
  }

  /** With other systems besides those that are shipped. */
  static House open(Path folder, List<PackagedSystem> more) {
    return open(folder, more, CARE, InstantSource.system());
  }

  /** With webhooks that may go to this machine. */
  static House telling(Path folder) {
    Care care =
        CARE.notifying(
            CARE.rules(), CARE.secrets(), CARE.webhooks().to(UrlPolicy.LOOPBACK_AND_PRIVATE));
    return open(folder, List.of(), care, InstantSource.system());
  }

  /** Its timers are late: the server's clock is ahead of the one by which they fire. */
  static House late(Path folder, Duration by) {
    return open(folder, List.of(), CARE, InstantSource.offset(InstantSource.system(), by));
  }

  private static House open(
      Path folder, List<PackagedSystem> more, Care care, InstantSource clock) {
    List<PackagedSystem> systems =
        new ArrayList<>(ShippedSystems.all(RunsSettings.in(folder.resolve("runs"), folder)));
    systems.addAll(more);
    Signalbox box =
        Signalbox.open(
            "jdbc:sqlite:" + folder.resolve("house.db"), Settings.DEFAULT, InstantSource.system());
    Server server =
        Server.start(
            box,
            systems,
            ServerSettings.DEFAULT.at("127.0.0.1", 0).folder(folder).care(care),
            clock);
    return new House(box, server);
  }

  /** A link that signs somebody in, once. */
  String link(String name, String... roles) {
    return server.signInLink(token(name, roles));
  }

  /** A token; somebody who shall approve is enrolled besides, and has only what a token may. */
  String token(String name, String... roles) {
    List<String> may = new ArrayList<>(List.of(roles));
    if (may.remove("approver")) {
      Enrolled.in(box, name, may.toArray(String[]::new));
      if (may.stream().noneMatch(List.of("admin", "operator", "viewer")::contains)) {
        may.add("viewer");
      }
    }
    Tokens.Order order = new Tokens.Order(name, may, List.of(), Duration.ofDays(1));
    return server.tokens().create(order, Server.owner("test")).secret();
  }

  String address(String path) {
    return server.address() + "/#/" + path;
  }

  @Override
  public void close() {
    server.close();
    box.close();
  }
}
