package dev.signalbox.server;

import dev.signalbox.server.access.OwnerOnly;
import dev.signalbox.server.access.Tokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The token of a data folder: whoever may read the folder may use the server, as with the store
 * itself. The file is its owner's alone.
 */
public final class LocalToken {
  private static final Duration LIFETIME = Duration.ofDays(365);
  private static final List<String> ROLES = List.of("admin", "operator", "approver", "viewer");
  private static final Pattern UNFIT = Pattern.compile("[^\\p{L}\\p{N} ._@+-]");

  private LocalToken() {}

  public static Path file(Path folder) {
    return folder.resolve("token");
  }

  /** The folder's token; a new one is made when there is none that is still good. */
  public static String in(Path folder, Tokens tokens, String owner) throws IOException {
    Path file = file(folder);
    if (Files.exists(file)) {
      String known = Files.readString(file).strip();
      if (tokens.find(known) != null) {
        return known;
      }
    }
    String name = UNFIT.matcher(owner).replaceAll("-");
    Tokens.Order order =
        new Tokens.Order(name.isBlank() ? "owner" : name, ROLES, List.of(), LIFETIME);
    String secret = tokens.create(order, Server.owner(name)).secret();
    OwnerOnly.write(file, secret + "\n");
    return secret;
  }
}
