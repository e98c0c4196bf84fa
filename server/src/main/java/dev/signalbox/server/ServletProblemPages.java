package dev.signalbox.server;

import org.eclipse.jetty.ee10.servlet.ErrorHandler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** What Jetty's servlets refuse by themselves, as a problem. */
final class ServletProblemPages extends ErrorHandler {
  private final ProblemPages pages;

  ServletProblemPages(ProblemPages pages) {
    this.pages = pages;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    return pages.handle(request, response, callback);
  }
}
