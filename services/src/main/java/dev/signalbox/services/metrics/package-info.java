/**
 * Numbers about a store, for Micrometer and Prometheus. Counters and histograms are worked out from
 * the feed on a thread of their own, gauges from the store when somebody asks; the engine is not
 * touched and does not wait.
 */
@NullMarked
package dev.signalbox.services.metrics;

import org.jspecify.annotations.NullMarked;
