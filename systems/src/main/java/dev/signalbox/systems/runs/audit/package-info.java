/**
 * The five auditors of a run: hallucination, amnesia, drift, privilege, silent failure, in this
 * order.
 *
 * <p>Each is rules over what the journal, the evidence and the folder say ({@link
 * dev.signalbox.systems.runs.audit.AuditedRun}), and none of them believes what a tool says of
 * itself. A rule finds something or nothing; the worst of what an auditor finds is its verdict:
 * {@code CLEARED}, {@code CONTAMINATED} (accept with notes) or {@code STOP}. A command, a model or
 * a person can look beside the rules and make a verdict worse, never better; one that fails to look
 * makes it STOP. The last auditor is the judge: it lets the rules of the other four look again and
 * says STOP when one of them was softer than its rules.
 */
@NullMarked
package dev.signalbox.systems.runs.audit;

import org.jspecify.annotations.NullMarked;
