package dev.signalbox.server;

import dev.signalbox.server.access.OwnerOnly;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.system.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The token of a data folder: whoever may read the folder may use the server, as with the store
 * itself, and nobody decides with it: that takes a person's passphrase. The file is its owner's
 * alone.
 */
public final class LocalToken {
  private static final Duration LIFETIME = Duration.ofDays(365);
  private static final List<String> ROLES = List.of("admin", "operator", "viewer");
  private static final Pattern UNFIT = Pattern.compile("[^\\p{L}\\p{N} ._@+-]");

  private LocalToken() {}

  public static Path file(Path folder) {
    return folder.resolve("token");
  }

  /** The file with the token of the folder's agents. */
  public static Path agentFile(Path folder) {
    return folder.resolve("agent-token");
  }

  /** The folder's token; a new one is made when there is none that is still good. */
  public static String in(Path folder, Tokens tokens, String owner) throws IOException {
    return in(file(folder), tokens, owner, "", ROLES);
  }

  /**
   * The token for agents that people of the folder start: it starts, sends and looks, and never
   * approves, publishes, migrates or makes tokens.
   */
  public static String agentIn(Path folder, Tokens tokens, String owner) throws IOException {
    return in(agentFile(folder), tokens, owner, "agent of ", List.of(Role.AGENT.word()));
  }

  private static String in(
      Path file, Tokens tokens, String owner, String prefix, List<String> roles)
      throws IOException {
    if (Files.exists(file)) {
      String known = Files.readString(file).strip();
      if (tokens.find(known) != null) {
        return known;
      }
    }
    String name = UNFIT.matcher(owner).replaceAll("-");
    Tokens.Order order =
        new Tokens.Order(prefix + (name.isBlank() ? "owner" : name), roles, List.of(), LIFETIME);
    String secret = tokens.create(order, Server.owner(name)).secret();
    OwnerOnly.write(file, secret + "\n");
    return secret;
  }
}
