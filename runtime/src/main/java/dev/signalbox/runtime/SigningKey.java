package dev.signalbox.runtime;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.JournalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Security;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The key that signs checkpoints, exports and archives: Ed25519 in a file, or whatever a key store
 * holds that can sign, such as a token behind PKCS#11, where the private half can't be read at all.
 */
public final class SigningKey {
  private static final String ALGORITHM = "Ed25519";

  /** The bits of the curve P-256. */
  private static final int CURVE = 256;

  /** The digits of a fingerprint. */
  private static final int FINGERPRINT = 32;

  private final PrivateKey secret;
  private final PublicKey open;
  private final @Nullable Provider provider;

  private SigningKey(PrivateKey secret, PublicKey open, @Nullable Provider provider) {
    this.secret = secret;
    this.open = open;
    this.provider = provider;
  }

  /**
   * A key in a token behind PKCS#11. Java's own provider signs there with ECDSA, so the key is one
   * on the curve P-256, with a certificate that has its public half.
   *
   * @param configuration of the provider SunPKCS11: a file that names the token's library and slot
   * @param alias by which the token knows the key
   * @throws IOException when there is no such token or key
   */
  public static SigningKey inToken(Path configuration, String alias, char[] pin)
      throws IOException {
    try {
      Provider provider =
          Objects.requireNonNull(Security.getProvider("SunPKCS11"))
              .configure(configuration.toString());
      KeyStore token = KeyStore.getInstance("PKCS11", provider);
      token.load(null, pin);
      return in(token, alias, pin);
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IOException(
          "Expected a token as '%s' says, but: %s.".formatted(configuration, e.getMessage()), e);
    }
  }

  /** A key that a key store holds; the store's own provider signs with it. */
  public static SigningKey in(KeyStore store, String alias, char[] pin) throws IOException {
    try {
      Certificate certificate = store.getCertificate(alias);
      if (!(store.getKey(alias, pin) instanceof PrivateKey secret) || certificate == null) {
        throw new IOException(
            "Expected a private key '%s' with its certificate, but there is none."
                .formatted(alias));
      }
      SigningKey key = new SigningKey(secret, certificate.getPublicKey(), store.getProvider());
      String _ = fingerprintOf(key.publicText());
      return key;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException(
          "Expected '%s' to be a key that can sign (Ed25519, or ECDSA on P-256), but: %s."
              .formatted(alias, e.getMessage()),
          e);
    }
  }

  /** A new key that lives as long as its object. */
  public static SigningKey fresh() {
    try {
      KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
      return new SigningKey(pair.getPrivate(), pair.getPublic(), null);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java has Ed25519.", e);
    }
  }

  /** The key in the file, which is made, readable by its owner only, when there is none. */
  public static SigningKey at(Path file) throws IOException {
    if (!Files.exists(file)) {
      SigningKey fresh = fresh();
      String text =
          Base64.getEncoder().encodeToString(fresh.secret.getEncoded())
              + "\n"
              + fresh.publicText()
              + "\n";
      if (DurableFile.createForOwner(file, text.getBytes(StandardCharsets.US_ASCII))) {
        return fresh;
      }
    }
    return in(file);
  }

  /**
   * The key in the file, which is not made.
   *
   * @throws IOException when there is no file, or it holds no key
   */
  public static SigningKey in(Path file) throws IOException {
    String[] lines = Files.readString(file, StandardCharsets.US_ASCII).strip().split("\n", -1);
    try {
      KeyFactory factory = KeyFactory.getInstance(ALGORITHM);
      Base64.Decoder base64 = Base64.getDecoder();
      return new SigningKey(
          factory.generatePrivate(new PKCS8EncodedKeySpec(base64.decode(lines[0].strip()))),
          publicKey(lines[1].strip()),
          null);
    } catch (GeneralSecurityException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IOException(
          "Expected '%s' to hold an Ed25519 key (two lines of base64), but it does not."
              .formatted(file),
          e);
    }
  }

  /** The public half, in base64 of its X.509 form. */
  public String publicText() {
    return Base64.getEncoder().encodeToString(open.getEncoded());
  }

  /** By what the key is named everywhere. */
  public String fingerprint() {
    return fingerprint(publicText());
  }

  /** The first half of the SHA-256 of the public key's X.509 form, in hexadecimal. */
  static String fingerprint(String publicText) {
    byte[] encoded = Base64.getDecoder().decode(publicText);
    return Statements.digest(encoded).substring(0, FINGERPRINT);
  }

  /**
   * The fingerprint that somebody named.
   *
   * @param named a public key as {@link #publicText} writes it, or a fingerprint
   * @throws IllegalArgumentException when it is neither
   */
  public static String fingerprintOf(String named) {
    String text = named.strip();
    if (text.matches("[0-9a-fA-F]{" + FINGERPRINT + "}")) {
      return text.toLowerCase(Locale.ROOT);
    }
    try {
      PublicKey _ = publicKey(text);
      return fingerprint(text);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "Expected a public key (Ed25519, base64 of its X.509 form) or a fingerprint (%d hexadecimal digits), but found '%s'."
              .formatted(FINGERPRINT, text),
          e);
    }
  }

  /**
   * The public key that a file holds: a key file of {@link #at}, or the public half alone.
   *
   * @throws IllegalArgumentException when it holds none
   */
  public static String publicTextIn(Path file) throws IOException {
    String[] lines = Files.readString(file, StandardCharsets.US_ASCII).strip().split("\\R", -1);
    String last = lines[lines.length - 1].strip();
    String _ = fingerprintOf(last);
    return last;
  }

  byte[] sign(byte[] message) {
    try {
      Signature signature =
          provider == null
              ? Signature.getInstance(scheme(open))
              : Signature.getInstance(scheme(open), provider);
      signature.initSign(secret);
      signature.update(message);
      return signature.sign();
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new JournalException(
          "Expected key %s to sign, but: %s.".formatted(fingerprint(), e.getMessage()), e);
    }
  }

  /** Whether the public key, as {@link #publicText} writes it, signed the message. */
  static boolean hasSigned(String publicText, byte[] message, byte[] signed) {
    try {
      PublicKey open = publicKey(publicText);
      Signature signature = Signature.getInstance(scheme(open));
      signature.initVerify(open);
      signature.update(message);
      return signature.verify(signed);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return false;
    }
  }

  private static String scheme(PublicKey key) {
    return key instanceof ECPublicKey ? "SHA256withECDSA" : ALGORITHM;
  }

  private static PublicKey publicKey(String text) throws GeneralSecurityException {
    X509EncodedKeySpec encoded = new X509EncodedKeySpec(Base64.getDecoder().decode(text));
    try {
      return KeyFactory.getInstance(ALGORITHM).generatePublic(encoded);
    } catch (InvalidKeySpecException e) {
      PublicKey key = KeyFactory.getInstance("EC").generatePublic(encoded);
      if (key instanceof ECPublicKey curve
          && curve.getParams().getCurve().getField().getFieldSize() == CURVE) {
        return key;
      }
      throw e;
    }
  }
}
