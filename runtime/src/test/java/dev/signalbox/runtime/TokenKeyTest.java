package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.KeyStoreSpi;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.SignatureSpi;
import java.security.cert.Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A key that never leaves its token signs checkpoints, exports and archives. */
class TokenKeyTest {
  @TempDir Path folder;

  /** A provider as one for a token is: it signs, and gives the private half to nobody. */
  private static final class Token extends Provider {
    private static final long serialVersionUID = 1;

    Token(KeyPair pair) {
      super("Token", "1", "a token");
      putService(
          new Service(this, "KeyStore", "TOKEN", Shelf.class.getName(), null, null) {
            @Override
            public Object newInstance(@Nullable Object parameter) {
              return new Shelf(pair.getPublic());
            }
          });
      putService(
          new Service(this, "Signature", "SHA256withECDSA", Chip.class.getName(), null, null) {
            @Override
            public Object newInstance(@Nullable Object parameter) {
              return new Chip(pair.getPrivate());
            }

            @Override
            public boolean supportsParameter(@Nullable Object parameter) {
              return parameter instanceof Handle;
            }
          });
    }
  }

  /** What a token gives in place of the key. */
  private static final class Handle implements PrivateKey {
    private static final long serialVersionUID = 1;

    @Override
    public String getAlgorithm() {
      return "EC";
    }

    @Override
    public @Nullable String getFormat() {
      return null;
    }

    @Override
    public byte @Nullable [] getEncoded() {
      return null;
    }
  }

  private static final class Chip extends SignatureSpi {
    private final PrivateKey secret;
    private @Nullable Signature signature;

    Chip(PrivateKey secret) {
      this.secret = secret;
    }

    @Override
    protected void engineInitVerify(PublicKey key) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void engineInitSign(PrivateKey key) {
      assertThat(key).isInstanceOf(Handle.class);
      try {
        signature = Signature.getInstance("SHA256withECDSA", "SunEC");
        signature.initSign(secret);
      } catch (java.security.GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    protected void engineUpdate(byte one) throws SignatureException {
      engineUpdate(new byte[] {one}, 0, 1);
    }

    @Override
    protected void engineUpdate(byte[] bytes, int from, int count) throws SignatureException {
      java.util.Objects.requireNonNull(signature).update(bytes, from, count);
    }

    @Override
    protected byte[] engineSign() throws SignatureException {
      return java.util.Objects.requireNonNull(signature).sign();
    }

    @Override
    protected boolean engineVerify(byte[] signed) {
      return false;
    }

    @Override
    @SuppressWarnings("deprecation")
    protected void engineSetParameter(String name, Object value) {
      throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("deprecation")
    protected Object engineGetParameter(String name) {
      throw new UnsupportedOperationException();
    }
  }

  private static final class Shelf extends KeyStoreSpi {
    private final PublicKey open;

    Shelf(PublicKey open) {
      this.open = open;
    }

    @Override
    public Key engineGetKey(String alias, char @Nullable [] pin) {
      return new Handle();
    }

    @Override
    public Certificate engineGetCertificate(String alias) {
      return new Certificate("none") {
        private static final long serialVersionUID = 1;

        @Override
        public byte[] getEncoded() {
          return open.getEncoded();
        }

        @Override
        public void verify(PublicKey key) {}

        @Override
        public void verify(PublicKey key, String provider) {}

        @Override
        public String toString() {
          return "a certificate";
        }

        @Override
        public PublicKey getPublicKey() {
          return open;
        }
      };
    }

    @Override
    public Certificate @Nullable [] engineGetCertificateChain(String alias) {
      return null;
    }

    @Override
    @SuppressWarnings("JavaUtilDate")
    public Date engineGetCreationDate(String alias) {
      return new Date(0);
    }

    @Override
    public void engineSetKeyEntry(
        String alias, Key key, char @Nullable [] pin, Certificate @Nullable [] chain) {}

    @Override
    public void engineSetKeyEntry(String alias, byte[] key, Certificate @Nullable [] chain) {}

    @Override
    public void engineSetCertificateEntry(String alias, Certificate certificate) {}

    @Override
    public void engineDeleteEntry(String alias) {}

    @Override
    public Enumeration<String> engineAliases() {
      return Collections.enumeration(List.of("record"));
    }

    @Override
    public boolean engineContainsAlias(String alias) {
      return alias.equals("record");
    }

    @Override
    public int engineSize() {
      return 1;
    }

    @Override
    public boolean engineIsKeyEntry(String alias) {
      return true;
    }

    @Override
    public boolean engineIsCertificateEntry(String alias) {
      return false;
    }

    @Override
    public @Nullable String engineGetCertificateAlias(Certificate certificate) {
      return null;
    }

    @Override
    public void engineStore(@Nullable OutputStream out, char @Nullable [] pin) {}

    @Override
    public void engineLoad(@Nullable InputStream in, char @Nullable [] pin) {}
  }

  @Test
  void a_store_is_signed_by_a_key_that_nobody_can_read() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyStore token = KeyStore.getInstance("TOKEN", new Token(generator.generateKeyPair()));
    token.load(null, new char[0]);
    SigningKey key = SigningKey.in(token, "record", new char[0]);
    Path file = folder.resolve("box.db");
    try (Signalbox box =
        Signalbox.open(
            "jdbc:sqlite:" + file,
            Settings.DEFAULT,
            InstantSource.system(),
            Keyring.at(folder.resolve("keys")).signedWith(key))) {
      box.publish(
          MachineReader.read(
              new Source("lamp.yaml", "machine: lamp\nstates:\n  OFF: { final: true }\n")));
      box.start("lamp", Map.of());
    }
    assertThat(folder.resolve("keys").resolve("signing.key")).doesNotExist();
    Path export = folder.resolve("all.jsonl");
    try (var journal = Signalbox.read("jdbc:sqlite:" + file);
        OutputStream out = Files.newOutputStream(export)) {
      Demands demands = Demands.NONE.signedBy(key.fingerprint());
      Verification store = Audit.verify(journal, null, demands, _ -> {});
      assertThat(store.findings()).isEmpty();
      assertThat(store.signed()).isEqualTo("named");
      Audit.export(journal, key, out, _ -> {});
    }
    assertThat(Audit.verify(export, key.publicText(), _ -> {}).findings()).isEmpty();
    assertThat(Audit.verify(export, SigningKey.fresh().publicText(), _ -> {}).findings())
        .isNotEmpty();
  }
}
