package dev.signalbox.server.access;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.services.SecretTexts;
import dev.signalbox.services.notification.WebhookSecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;

/**
 * Secrets of webhooks that were made here for whoever named none: a file each in the server's
 * folder, which nobody but its owner reads. Names that begin otherwise are found elsewhere. Another
 * node does not have them.
 */
public final class MadeSecrets implements dev.signalbox.services.notification.Secrets {
  private static final String PREFIX = "made-";

  private final Path folder;
  private final SecretTexts made;
  private final dev.signalbox.services.notification.Secrets others;

  /**
   * @param folder where the files are; it is made with the first of them
   * @param others where all other secrets are found
   */
  public MadeSecrets(Path folder, dev.signalbox.services.notification.Secrets others) {
    this.folder = folder;
    this.made = SecretTexts.folder(folder);
    this.others = others;
  }

  /** The name of the secret that is made for a subscription. */
  public static String nameFor(String subscription) {
    return PREFIX + subscription;
  }

  @Override
  public List<WebhookSecret> named(String name) {
    return name.startsWith(PREFIX)
        ? List.of(WebhookSecret.of(made.named(name)))
        : others.named(name);
  }

  /**
   * Makes a secret, or another in its place.
   *
   * @return the secret itself, for the receiver; nothing shows it again
   */
  public String make(String name) {
    String secret = "whsec_" + Base64.getEncoder().encodeToString(Secrets.bytes());
    try {
      DurableFile.folders(folder);
      OwnerOnly.write(folder.resolve(name), secret);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return secret;
  }

  /** Takes back what was made. */
  public void forget(String name) {
    try {
      Files.deleteIfExists(folder.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
