package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.Tokens;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two servers on one PostgreSQL: what one commits, the clients of the other hear. */
class SharedStreamTest {
  private static final int TOTAL = 300;
  private static final long SEED = Long.getLong("stream.seed", 11);

  private static void commands(Signalbox box, String prefix) {
    for (int i = 0; i < TOTAL; i++) {
      box.submit(new Command.Start("deploy", prefix + i, Map.of(), Server.owner("owner"), null));
    }
  }

  private static HttpRequest.Builder stream(Server server, String token) {
    return HttpRequest.newBuilder(URI.create(server.address() + "/api/v1/stream?machine=deploy"))
        .header("Authorization", "Bearer " + token);
  }

  @Test
  void what_one_node_commits_reaches_the_clients_of_the_other_once_and_in_order() throws Exception {
    ServerSettings settings =
        ServerSettings.DEFAULT.at("127.0.0.1", 0).rates(100_000, 100_000).care(Care.NONE);
    InstantSource clock = InstantSource.system();
    try (EmbeddedPostgres postgres =
            EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .start();
        HttpClient client = HttpClient.newHttpClient();
        Signalbox one = Signalbox.open(postgres.getJdbcUrl("postgres", "postgres"));
        Signalbox two = Signalbox.open(postgres.getJdbcUrl("postgres", "postgres"))) {
      one.publish(MachineReader.read(new Source("deploy.yaml", Served.DEPLOY)));
      try (Server first = Server.start(one, List.of(), settings, clock);
          Server second = Server.start(two, List.of(), settings, clock)) {
        String token =
            first
                .tokens()
                .create(
                    new Tokens.Order("vera", List.of("viewer"), List.of(), Duration.ofDays(1)),
                    Server.owner("owner"))
                .secret();
        long begin = two.feed().end();
        Thread a = Thread.ofVirtual().start(() -> commands(one, "a-"));
        Thread b = Thread.ofVirtual().start(() -> commands(two, "b-"));
        List<Heard> steady = new ArrayList<>();
        try (StreamTest.Reader reader =
            StreamTest.Reader.open(client, stream(second, token), Long.toString(begin))) {
          while (steady.size() < 2 * TOTAL) {
            steady.add(heard(reader));
          }
        }
        a.join();
        b.join();
        assertThat(steady).extracting(Heard::instance).doesNotHaveDuplicates().hasSize(2 * TOTAL);
        assertThat(steady).extracting(Heard::position).isSorted();
        assertThat(wandering(List.of(first, second), client, token, begin)).isEqualTo(steady);
        for (String prefix : List.of("a-", "b-")) {
          assertThat(steady.stream().map(Heard::instance).filter(id -> id.startsWith(prefix)))
              .as("each node's own, in the order in which it was asked")
              .containsExactlyElementsOf(numbered(prefix));
        }
      }
    }
  }

  private record Heard(long position, String instance) {}

  private static Heard heard(StreamTest.Reader reader) throws Exception {
    Map<?, ?> event = reader.next();
    Map<?, ?> entry = (Map<?, ?>) Objects.requireNonNull(event.get("entry"));
    return new Heard(
        (Long) Objects.requireNonNull(event.get("position")),
        String.valueOf(entry.get("instance")));
  }

  private static List<String> numbered(String prefix) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < TOTAL; i++) {
      all.add(prefix + i);
    }
    return all;
  }

  /** A client that breaks off again and again and goes on at the other node. */
  private static List<Heard> wandering(
      List<Server> servers, HttpClient client, String token, long begin) throws Exception {
    Random random = new Random(SEED);
    List<Heard> all = new ArrayList<>();
    String last = Long.toString(begin);
    for (int turn = 0; all.size() < 2 * TOTAL; turn++) {
      try (StreamTest.Reader reader =
          StreamTest.Reader.open(client, stream(servers.get(turn % 2), token), last)) {
        int most = 1 + random.nextInt(80);
        for (int i = 0; i < most && all.size() < 2 * TOTAL; i++) {
          Heard one = heard(reader);
          last = Long.toString(one.position());
          all.add(one);
        }
      }
    }
    return all;
  }
}
