/**
 * The command line: the composition root, and the only module that knows all others.
 *
 * <p>Every command answers with 0 when all is well, 1 for a refusal or a problem, 2 for wrong
 * usage, and has {@code --json}.
 */
@NullMarked
package dev.signalbox.cli;

import org.jspecify.annotations.NullMarked;
