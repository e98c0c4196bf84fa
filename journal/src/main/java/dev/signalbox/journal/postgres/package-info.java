/**
 * The journal in a PostgreSQL database that any number of nodes write.
 *
 * <p><b>A commit</b> is one transaction of one statement, whatever the group's size: arrays go in,
 * and the statement updates the instances whose heads are the expected ones, inserts the entries of
 * those it updated, and their effects, messages and the rest. The row locks of the update decide
 * between nodes; the loser finds other heads and loses alone. Only a group that ends effects or
 * delivers messages asks a question before: it locks those rows, and drops the changes whose rows
 * are gone. A step that comes alone has a shorter statement, which commits by itself. Rows are
 * locked in one order everywhere (effects, messages, instances, each by number); where two nodes
 * still wait for one another, PostgreSQL ends one of them and it tries again.
 *
 * <p><b>Roots.</b> Each open journal has writers, one for each append that runs at the same time,
 * and each writer a chain of roots of its own, so that nodes never wait for one another's roots. A
 * writer that does not know how its last commit ended is never used again; the next one begins a
 * new chain.
 *
 * <p><b>Group numbers</b> are the numbers of their transactions. A number from a sequence would be
 * drawn in another order than transactions end, and a reader that goes by numbers would pass a
 * group that commits late. Every transaction below the oldest running one has ended, so a reader
 * that stops there misses nothing; it waits for any transaction that writes in the same cluster.
 *
 * <p><b>Indexes.</b> PostgreSQL keeps an updated row on its page and leaves the indexes alone as
 * long as no indexed column changes. An index on the configuration or the due time would change
 * with almost every step and nearly doubles the database's work for it (measured: 36 µs instead of
 * 19 µs for a step). So where instances stand is kept in {@code standing}, for blocks of instances
 * with neighbouring numbers and the hour in which they came there: it gains a row only when the
 * first of a block comes into a configuration in that hour, and it is a superset, which {@link
 * dev.signalbox.journal.postgres.StandingSweeper} trims. And {@code wake}, which is indexed, moves
 * at once only to an earlier time, and to a later one when the time has come. How often an instance
 * refused is indexed, because no step changes it; since when exactly it is in its states is not,
 * and {@link dev.signalbox.journal.postgres.WaitingQuery} sorts a bounded number of instances
 * instead.
 */
@NullMarked
package dev.signalbox.journal.postgres;

import org.jspecify.annotations.NullMarked;
