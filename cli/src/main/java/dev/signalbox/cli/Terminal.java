package dev.signalbox.cli;

import java.io.Console;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where a person sits, if one does. What is typed there comes from no pipe and no file. */
interface Terminal {

  /** Whether somebody can be asked. */
  boolean isThere();

  /** What the person types, or null when nothing comes any more. */
  @Nullable String ask(String question);

  /** As {@link #ask}, of something that is not shown; whoever gets it wipes it. */
  char @Nullable [] askSecretly(String question);

  /** Tells the person something, apart from what the command prints. */
  void tell(String text);

  /** The one that the process has. */
  static Terminal ofTheProcess() {
    // Where there is no console at all, as in some containers, there is nobody to ask either.
    return Optional.ofNullable(System.console())
        .filter(Console::isTerminal)
        .<Terminal>map(OfConsole::new)
        .orElse(NONE);
  }

  /** Nobody is there. */
  Terminal NONE =
      new Terminal() {
        @Override
        public boolean isThere() {
          return false;
        }

        @Override
        public @Nullable String ask(String question) {
          return null;
        }

        @Override
        public char @Nullable [] askSecretly(String question) {
          return null;
        }

        @Override
        public void tell(String text) {}
      };

  /** The JDK's console. */
  record OfConsole(Console console) implements Terminal {
    @Override
    public boolean isThere() {
      return true;
    }

    @Override
    public @Nullable String ask(String question) {
      return console.readLine("%s", question);
    }

    @Override
    public char @Nullable [] askSecretly(String question) {
      return console.readPassword("%s", question);
    }

    @Override
    public void tell(String text) {
      console.printf("%s%n", text);
    }
  }
}
