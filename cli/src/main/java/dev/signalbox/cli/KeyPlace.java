package dev.signalbox.cli;

import dev.signalbox.runtime.SigningKey;
import java.io.IOException;
import java.nio.file.Path;

/** Where a signing key is that is not among the store's keys: a file, or a token. */
final class KeyPlace {
  static final String DESCRIPTION =
      "A signing key that is kept elsewhere: a file, or pkcs11:CONFIGURATION#ALIAS, with the"
          + " token's PIN in SIGNALBOX_PKCS11_PIN";

  private static final String TOKEN = "pkcs11:";
  private static final String PIN = "SIGNALBOX_PKCS11_PIN";

  private KeyPlace() {}

  static SigningKey key(String place) throws IOException {
    if (!place.startsWith(TOKEN)) {
      return SigningKey.in(Path.of(place));
    }
    int hash = place.lastIndexOf('#');
    if (hash < 0) {
      throw new CommandFailure(
          "Expected %sCONFIGURATION#ALIAS, but found '%s'.".formatted(TOKEN, place));
    }
    String pin = System.getenv(PIN);
    return SigningKey.inToken(
        Path.of(place.substring(TOKEN.length(), hash)),
        place.substring(hash + 1),
        pin == null ? new char[0] : pin.toCharArray());
  }
}
