package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS from files in PEM. */
class TlsTest {
  @TempDir Path folder;

  private static String pem(String kind, byte[] bytes) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, Base64.getMimeEncoder().encodeToString(bytes), kind);
  }

  @Test
  void the_server_speaks_tls_with_the_certificate_it_was_given() throws Exception {
    Path store = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "s",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                "changeit",
                "-keystore",
                store.toString())
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, "changeit".toCharArray());
    }
    Certificate certificate = keys.getCertificate("s");
    Key key = keys.getKey("s", "changeit".toCharArray());
    Path certificates = folder.resolve("certificates.pem");
    Path keyFile = folder.resolve("key.pem");
    Files.writeString(certificates, pem("CERTIFICATE", certificate.getEncoded()));
    Files.writeString(keyFile, pem("PRIVATE KEY", key.getEncoded()));

    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("s", certificate);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);

    ServerSettings settings =
        ServerSettings.DEFAULT.tls(new ServerSettings.Tls(certificates, keyFile));
    try (Served served = new Served(folder, settings, InstantSource.system(), List.of());
        HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
      assertThat(served.server.address()).startsWith("https://");
      HttpResponse<String> health =
          client.send(
              HttpRequest.newBuilder(URI.create(served.server.address() + "/api/v1/health"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(health.statusCode()).isEqualTo(200);
      assertThat(health.headers().firstValue("Strict-Transport-Security")).isPresent();
      HttpResponse<String> in =
          client.send(
              HttpRequest.newBuilder(URI.create(served.server.address() + "/api/v1/session"))
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"token\":\"%s\"}".formatted(served.admin)))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(in.headers().firstValue("Set-Cookie").orElse("")).contains("Secure");
    }
  }
}
