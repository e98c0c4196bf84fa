package dev.signalbox.services.sweep;

import java.util.List;

/**
 * An instance in trouble.
 *
 * @param kind of trouble: unattended, zombie, orphan, stuck, invalid
 * @param sequence of the instance's newest entry when it was looked at
 * @param states the innermost active states; empty where they can't be read
 */
public record Finding(
    String kind,
    String instance,
    String machine,
    long sequence,
    List<String> states,
    String reason,
    Correction correction) {}
