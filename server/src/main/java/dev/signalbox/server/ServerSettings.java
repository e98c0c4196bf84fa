package dev.signalbox.server;

import dev.signalbox.server.access.Oidc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a server is reached, its limits, and what it looks after.
 *
 * @param host the address to listen on; anything but loopback needs {@code tls} or {@code insecure}
 * @param port 0 takes a free one
 * @param names other names by which clients may call the host, besides the address itself
 * @param proxies addresses and networks of proxies whose word for their clients' addresses counts
 * @param insecure whether it may listen beyond loopback without TLS
 * @param folder where the audit log is kept; null keeps it in memory alone
 * @param care the services that look after the store while the server is up
 */
public record ServerSettings(
    String host,
    int port,
    Set<String> names,
    Set<String> proxies,
    boolean insecure,
    @Nullable Tls tls,
    @Nullable Oidc oidc,
    @Nullable Path folder,
    Limits limits,
    Care care) {

  /** Files in PEM: a chain of certificates and the private key of the first. */
  public record Tls(Path certificates, Path key) {}

  /**
   * How much of anything.
   *
   * @param bodyBytes the largest body; a bulk request may be larger, its lines may not
   * @param perSecond requests a caller may make a second, over a while; twice as many at once
   * @param failuresPerMinute credentials an address may get wrong a minute
   * @param streams that may be open at once
   * @param streamsOfOne of them with one credential
   * @param patience how long a client may be silent, and a body may take
   * @param head how long a request may take from its first byte until its headers are whole
   * @param check how long a check of a machine that a caller sends may take
   * @param grace how long requests may take to finish when the server is closed
   */
  public record Limits(
      int bodyBytes,
      int perSecond,
      int failuresPerMinute,
      int streams,
      int streamsOfOne,
      Duration patience,
      Duration head,
      Duration check,
      Duration grace) {
    public static final Limits DEFAULT =
        new Limits(
            1 << 20,
            2_000,
            60,
            4_096,
            64,
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20),
            Duration.ofSeconds(10));

    /** With other times for clients that are slow. */
    public Limits slow(Duration silence, Duration heads) {
      return new Limits(
          bodyBytes,
          perSecond,
          failuresPerMinute,
          streams,
          streamsOfOne,
          silence,
          heads,
          check,
          grace);
    }
  }

  public static final int PORT = 7420;

  public static final ServerSettings DEFAULT =
      new ServerSettings(
          "127.0.0.1",
          PORT,
          Set.of(),
          Set.of(),
          false,
          null,
          null,
          null,
          Limits.DEFAULT,
          Care.STANDARD);

  public ServerSettings {
    names = Set.copyOf(names);
    proxies = Set.copyOf(proxies);
  }

  public ServerSettings at(String newHost, int newPort) {
    return new ServerSettings(
        newHost, newPort, names, proxies, insecure, tls, oidc, folder, limits, care);
  }

  public ServerSettings names(Set<String> others) {
    return new ServerSettings(
        host, port, others, proxies, insecure, tls, oidc, folder, limits, care);
  }

  /** Behind proxies that are trusted to say for whom they ask. */
  public ServerSettings proxies(Set<String> trusted) {
    return new ServerSettings(
        host, port, names, trusted, insecure, tls, oidc, folder, limits, care);
  }

  public ServerSettings insecure(boolean allowed) {
    return new ServerSettings(host, port, names, proxies, allowed, tls, oidc, folder, limits, care);
  }

  public ServerSettings tls(@Nullable Tls files) {
    return new ServerSettings(
        host, port, names, proxies, insecure, files, oidc, folder, limits, care);
  }

  public ServerSettings oidc(@Nullable Oidc issuer) {
    return new ServerSettings(
        host, port, names, proxies, insecure, tls, issuer, folder, limits, care);
  }

  public ServerSettings folder(@Nullable Path place) {
    return new ServerSettings(host, port, names, proxies, insecure, tls, oidc, place, limits, care);
  }

  public ServerSettings limits(Limits others) {
    return new ServerSettings(
        host, port, names, proxies, insecure, tls, oidc, folder, others, care);
  }

  public ServerSettings care(Care other) {
    return new ServerSettings(
        host, port, names, proxies, insecure, tls, oidc, folder, limits, other);
  }

  /** With other rates of requests and of wrong credentials. */
  public ServerSettings rates(int requests, int failures) {
    return limits(
        new Limits(
            limits.bodyBytes,
            requests,
            failures,
            limits.streams,
            limits.streamsOfOne,
            limits.patience,
            limits.head,
            limits.check,
            limits.grace));
  }
}
