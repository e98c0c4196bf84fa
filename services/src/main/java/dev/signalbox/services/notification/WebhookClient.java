package dev.signalbox.services.notification;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends one webhook and hears the answer, within a deadline for the whole of it. Redirects are not
 * followed, cookies not kept, and of the answer's body only so much is read as the settings allow.
 */
public final class WebhookClient implements AutoCloseable {
  private static final Duration LONGEST_WISH = Duration.ofDays(1);

  private final HttpClient client;
  private final NotificationSettings settings;
  private final Secrets secrets;
  private final InstantSource clock;

  public WebhookClient(NotificationSettings settings, Secrets secrets, InstantSource clock) {
    this.settings = settings;
    this.secrets = secrets;
    this.clock = clock;
    this.client =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(settings.timeout())
            .version(HttpClient.Version.HTTP_1_1)
            .build();
  }

  /** How an attempt ended. */
  public sealed interface Answer {
    record Delivered(int status) implements Answer {}

    /**
     * Another attempt may help.
     *
     * @param wish how long the receiver wants to be left alone, in milliseconds; 0 for nothing
     */
    record Failed(String reason, long wish) implements Answer {}

    /** The receiver is gone for good. */
    record Gone(String reason) implements Answer {}
  }

  public Answer send(String url, String secret, String id, byte[] body)
      throws InterruptedException {
    HttpRequest request;
    try {
      request = request(settings.urls().checked(url), secrets.named(secret), id, body);
    } catch (IllegalArgumentException e) {
      return new Answer.Failed(String.valueOf(e.getMessage()), 0);
    }
    CompletableFuture<HttpResponse<Void>> answer =
        client.sendAsync(request, _ -> new Bounded(settings.responseBytes()));
    try {
      return judged(answer.get(settings.timeout().toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      answer.cancel(true);
      return new Answer.Failed(
          "no answer within %d ms".formatted(settings.timeout().toMillis()), 0);
    } catch (ExecutionException | CompletionException e) {
      return new Answer.Failed(reason(e), 0);
    }
  }

  private HttpRequest request(URI url, List<WebhookSecret> with, String id, byte[] body) {
    long seconds = clock.instant().getEpochSecond();
    return HttpRequest.newBuilder(url)
        .timeout(settings.timeout())
        .header("content-type", CloudEventBody.CONTENT_TYPE)
        .header("user-agent", "signalbox")
        .header(WebhookSignature.ID, id)
        .header(WebhookSignature.TIMESTAMP, Long.toString(seconds))
        .header(WebhookSignature.SIGNATURE, WebhookSignature.of(id, seconds, body, with))
        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
        .build();
  }

  private static Answer judged(HttpResponse<Void> response) {
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      return new Answer.Delivered(status);
    }
    if (status == 410) {
      return new Answer.Gone("the receiver answered 410: it wants no more");
    }
    if (status >= 300 && status < 400) {
      return new Answer.Failed(
          "the receiver answered %d, and redirects are not followed".formatted(status), 0);
    }
    return new Answer.Failed("the receiver answered %d".formatted(status), wish(response));
  }

  private static long wish(HttpResponse<Void> response) {
    try {
      OptionalLong seconds = response.headers().firstValueAsLong("retry-after");
      return seconds.isPresent()
          ? Math.clamp(seconds.getAsLong(), 0, LONGEST_WISH.toSeconds()) * 1_000
          : 0;
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Why an exchange failed, without anything that the receiver sent or the address holds. */
  private static String reason(Throwable e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return switch (cause) {
      case java.net.http.HttpTimeoutException _ -> "no answer in time";
      case java.net.ConnectException _ -> "it could not be connected";
      case java.nio.channels.UnresolvedAddressException _ -> "its host is not known";
      case javax.net.ssl.SSLException _ -> "its certificate or its encryption was refused";
      case java.io.IOException _ -> "the connection broke";
      default -> "the exchange failed: " + cause.getClass().getSimpleName();
    };
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  /** Reads so many bytes, throws them away, and wants no more. */
  private static final class Bounded implements HttpResponse.BodySubscriber<Void> {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final long most;
    private long read;
    private Flow.@org.jspecify.annotations.Nullable Subscription subscription;

    Bounded(long most) {
      this.most = most;
    }

    @Override
    public CompletionStage<Void> getBody() {
      return done;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      for (ByteBuffer buffer : buffers) {
        read += buffer.remaining();
      }
      Flow.Subscription from = subscription;
      if (from == null) {
        return;
      }
      if (read > most) {
        from.cancel();
        done.complete(null);
      } else {
        from.request(1);
      }
    }

    @Override
    public void onError(Throwable e) {
      done.completeExceptionally(e);
    }

    @Override
    public void onComplete() {
      done.complete(null);
    }
  }
}
