package dev.signalbox.server;

import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.access.ClientAddresses;
import io.javalin.Javalin;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** How the server listens: where, by which names, with which limits of Jetty. */
final class Listening {
  private static final int HEADER_BYTES = 16 * 1024;
  private static final int CONNECTIONS = 10_000;

  private Listening() {}

  /**
   * Refuses to listen beyond loopback without protection.
   *
   * @throws IllegalArgumentException when it would
   */
  static void check(ServerSettings settings) {
    if (!isLoopback(settings.host()) && settings.tls() == null && !settings.insecure()) {
      throw new IllegalArgumentException(
          "Expected to listen on loopback, but %s can be reached by others and there is no TLS. Give --tls-certificate and --tls-key, or --insecure behind something that encrypts."
              .formatted(settings.host()));
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "Expected an address of this machine, but there is no '%s'.".formatted(host), e);
    }
  }

  /** The names by which clients may call. */
  static Set<String> names(ServerSettings settings) {
    Set<String> names = new HashSet<>();
    if (isLoopback(settings.host())) {
      names.addAll(List.of("localhost", "127.0.0.1", "[::1]"));
    }
    String host = settings.host().toLowerCase(Locale.ROOT);
    names.add(host.contains(":") ? "[" + host + "]" : host);
    settings.names().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    return names;
  }

  static Javalin on(
      ServerSettings settings,
      Gate gate,
      Router router,
      AuditLog audit,
      List<dev.signalbox.server.Server.Mount> mounts) {
    ProblemPages pages = new ProblemPages(audit, new ClientAddresses(settings.proxies()));
    return Javalin.create(config -> {
      config.startup.showJavalinBanner = false;
      config.startup.showOldJavalinVersionWarning = false;
      config.startup.startupWatcherEnabled = false;
      config.concurrency.useVirtualThreads = true;
      config.http.prefer405over404 = true;
      config.http.compressionStrategy = io.javalin.compression.CompressionStrategy.NONE;
      config.jetty.addConnector((server, http) -> connector(server, http, settings, audit));
      config.jetty.modifyHttpConfiguration(Listening::limit);
      config.jetty.modifyServer(server -> {
        server.setErrorHandler(pages);
        server.addBean(new NetworkConnectionLimit(CONNECTIONS, server));
      });
      config.jetty.modifyServletContextHandler(handler -> {
        handler.setErrorHandler(new ServletProblemPages(pages));
        FilterHolder filter = new FilterHolder(gate);
        filter.setAsyncSupported(true);
        handler.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
        mounts.forEach(mount -> {
          ServletHolder holder = new ServletHolder(mount.servlet());
          holder.setAsyncSupported(true);
          handler.addServlet(holder, mount.path());
        });
      });
      router.register(config.routes);
    });
  }

  private static void limit(HttpConfiguration http) {
    http.setSendServerVersion(false);
    http.setSendXPoweredBy(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    http.setOutputBufferSize(32 * 1024);
  }

  private static ServerConnector connector(
      Server server, HttpConfiguration http, ServerSettings settings, AuditLog audit) {
    ServerConnector connector;
    if (settings.tls() == null) {
      connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    } else {
      SslContextFactory.Server ssl = new SslContextFactory.Server();
      ssl.setKeyStore(keys(settings.tls()));
      ssl.setKeyStorePassword("");
      ssl.setIncludeProtocols("TLSv1.3", "TLSv1.2");
      ssl.setSniRequired(false);
      HttpConfiguration secure = new HttpConfiguration(http);
      secure.addCustomizer(new SecureRequestCustomizer(false));
      connector =
          new ServerConnector(
              server,
              1,
              1,
              new org.eclipse.jetty.server.SslConnectionFactory(ssl, "http/1.1"),
              new HttpConnectionFactory(secure));
    }
    SlowClientWatcher watcher = new SlowClientWatcher(connector, settings.limits(), audit);
    connector.addBean(watcher);
    connector
        .getConnectionFactory(HttpConnectionFactory.class)
        .getHttpConfiguration()
        .addCustomizer(watcher);
    connector.setHost(settings.host());
    connector.setPort(settings.port());
    connector.setIdleTimeout(settings.limits().patience().toMillis());
    connector.setAcceptQueueSize(1_024);
    return connector;
  }

  private static KeyStore keys(ServerSettings.Tls tls) {
    try (InputStream in = Files.newInputStream(tls.certificates())) {
      Collection<? extends Certificate> chain =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (chain.isEmpty()) {
        throw new IOException("there is no certificate");
      }
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry(
          "signalbox",
          key(tls.key(), chain.iterator().next().getPublicKey().getAlgorithm()),
          new char[0],
          chain.toArray(Certificate[]::new));
      return store;
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "Expected certificates in %s and their key in %s, both in PEM, but: %s. The key must be in PKCS#8 without a password."
              .formatted(tls.certificates(), tls.key(), e.getMessage()),
          e);
    }
  }

  private static PrivateKey key(Path file, String algorithm)
      throws IOException, GeneralSecurityException {
    StringBuilder base64 = new StringBuilder();
    boolean inside = false;
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("-----")) {
        inside = line.equals("-----BEGIN PRIVATE KEY-----");
      } else if (inside) {
        base64.append(line.strip());
      }
    }
    byte[] bytes = Base64.getDecoder().decode(base64.toString());
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
  }
}
