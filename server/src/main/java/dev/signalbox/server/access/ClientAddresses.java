package dev.signalbox.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * From where a request comes. Behind a proxy every connection is the proxy's; what it says of its
 * clients in {@code X-Forwarded-For} is believed of the proxies that are named, and of nobody else.
 * The header is read from its end: what stands before the first address that is no trusted proxy
 * was written by strangers.
 */
public final class ClientAddresses {
  private static final String HEADER = "X-Forwarded-For";
  private static final int MOST_HOPS = 32;

  /** What can be an address as numbers; a name would be looked up, which a stranger could ask. */
  private static final Pattern NUMBERS = Pattern.compile("[0-9.]{7,15}|[0-9A-Fa-f:.]{2,45}");

  private final List<Network> trusted = new ArrayList<>();

  private record Network(byte[] address, int bits) {
    boolean has(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      int whole = bits / 8;
      if (!Arrays.equals(address, 0, whole, other, 0, whole)) {
        return false;
      }
      int rest = bits % 8;
      int mask = 0xff << (8 - rest);
      return rest == 0 || (address[whole] & mask) == (other[whole] & mask);
    }
  }

  /**
   * @param proxies addresses and networks as in {@code 10.0.0.0/8}
   * @throws IllegalArgumentException when one is neither
   */
  public ClientAddresses(Collection<String> proxies) {
    for (String proxy : proxies) {
      trusted.add(network(proxy.strip()));
    }
  }

  private static Network network(String text) {
    int slash = text.indexOf('/');
    byte[] address = bytes(slash < 0 ? text : text.substring(0, slash));
    try {
      if (address != null) {
        int bits =
            slash < 0 ? address.length * 8 : Integer.parseInt(text.substring(slash + 1).strip());
        if (bits >= 0 && bits <= address.length * 8) {
          return new Network(address, bits);
        }
      }
    } catch (NumberFormatException e) {
      // Told below, with everything else that is no network.
    }
    throw new IllegalArgumentException(
        "Expected the address of a trusted proxy, or a network as in 10.0.0.0/8, but found '%s'."
            .formatted(text));
  }

  private static byte @Nullable [] bytes(String text) {
    String plain =
        text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    if (!NUMBERS.matcher(plain).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(plain).getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** The address of whoever asks, as far as it can be believed. */
  public String of(HttpServletRequest request) {
    return of(request.getRemoteAddr(), Collections.list(request.getHeaders(HEADER)));
  }

  /**
   * As {@link #of(HttpServletRequest)}.
   *
   * @param forwarded the header's lines in their order
   */
  public String of(String connected, List<String> forwarded) {
    if (trusted.isEmpty() || !isTrusted(connected)) {
      return connected;
    }
    List<String> hops = Arrays.asList(String.join(",", forwarded).split(","));
    String nearest = connected;
    for (String hop : hops.reversed().subList(0, Math.min(hops.size(), MOST_HOPS))) {
      byte[] address = bytes(hop.strip());
      if (address == null) {
        return nearest;
      }
      nearest = hop.strip();
      if (!isTrusted(nearest)) {
        return nearest;
      }
    }
    return nearest;
  }

  private boolean isTrusted(String text) {
    byte[] address = bytes(text);
    return address != null && trusted.stream().anyMatch(network -> network.has(address));
  }

  /**
   * Whose share the address uses. Who has one address of IPv6 has 2^64 of them, so they share one.
   */
  public static String share(String address) {
    byte[] bytes = bytes(address);
    if (bytes == null || bytes.length != 16) {
      return address;
    }
    StringBuilder network = new StringBuilder("net");
    for (int i = 0; i < 8; i++) {
      network.append(':').append(Integer.toHexString(bytes[i] & 0xff));
    }
    return network.toString();
  }
}
