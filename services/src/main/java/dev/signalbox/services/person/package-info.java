/**
 * People who decide, and how it is known that it was they.
 *
 * <p>A {@link dev.signalbox.services.person.Person} is an instance of the machine {@code person}:
 * durable, the same on every node and every store, and its entries say who was enrolled by whom,
 * and when somebody proved to be that person or failed to. What is kept of a passphrase is a
 * salted, slow hash.
 *
 * <ul>
 *   <li>The role {@code approver} belongs to people. No token, no option of the command line and no
 *       event's data gives it: a {@link dev.signalbox.services.person.Decider} has it, and that is
 *       made of an {@link dev.signalbox.services.person.Authentication} alone.
 *   <li>The first person of a store is enrolled by whoever is at its terminal; every other one by a
 *       person who has just proved to be one.
 *   <li>A try counts before the passphrase is looked at, by an entry of the person's instance, so
 *       that guesses on many nodes and in many processes share one limit.
 *   <li>A name has one spelling. Whoever would be called almost the same is refused ({@link
 *       dev.signalbox.services.person.PersonName}), and compared by the normal form where it
 *       matters who asked.
 * </ul>
 */
@NullMarked
package dev.signalbox.services.person;

import org.jspecify.annotations.NullMarked;
