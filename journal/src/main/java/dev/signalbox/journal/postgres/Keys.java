package dev.signalbox.journal.postgres;

import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.sql.Selection;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of instances, in a table of their own. What is deleted stays in the table's file until
 * it is vacuumed, which happens at once, and in the write-ahead log as long as that is kept.
 */
final class Keys {
  private final Connections connections;

  Keys(Connections connections) {
    this.connections = connections;
  }

  void keep(List<InstanceKey> keys) {
    Long[] instances = keys.stream().map(InstanceKey::instance).toArray(Long[]::new);
    byte[][] wrapped = keys.stream().map(InstanceKey::wrapped).toArray(byte[][]::new);
    int _ =
        connections.inTransaction(
            "keep keys",
            c ->
                Connections.update(
                    c,
                    "insert into instance_key (instance, wrapped) select * from unnest(?::bigint[],"
                        + " ?::bytea[]) on conflict do nothing",
                    instances,
                    wrapped));
  }

  byte @Nullable [] key(long instance) {
    return connections.run(
        "find a key",
        c ->
            new Selection("select wrapped from instance_key where instance = ?", instance)
                .first(c, row -> row.getBytes(1)));
  }

  void condemn(Collection<Long> instances) {
    int _ =
        connections.inTransaction(
            "condemn keys",
            c ->
                Connections.update(
                    c,
                    "update instance_key set condemned = true where instance = any (?::bigint[])",
                    (Object) instances.toArray(Long[]::new)));
  }

  List<Long> condemned() {
    return connections.run(
        "list condemned keys",
        c ->
            new Selection("select instance from instance_key where condemned order by instance")
                .list(c, row -> row.getLong(1)));
  }

  void destroy(Collection<Long> instances) {
    int _ =
        connections.inTransaction(
            "destroy keys",
            c ->
                Connections.update(
                    c,
                    "delete from instance_key where instance = any (?::bigint[])",
                    (Object) instances.toArray(Long[]::new)));
    int _ = connections.run("vacuum keys", c -> Connections.update(c, "vacuum instance_key"));
  }
}
