/**
 * Alerts over the metrics. A rule compares one number with a threshold; what it finds goes as an
 * event to the rule's instance of the machine {@code alert}, which waits the rule's {@code for} as
 * a durable timer, fires, and clears at a threshold of its own. Firing and resolving are records in
 * the journal, and so they are notifications.
 */
@NullMarked
package dev.signalbox.services.alert;

import org.jspecify.annotations.NullMarked;
