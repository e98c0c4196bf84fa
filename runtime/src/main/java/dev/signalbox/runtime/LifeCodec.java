package dev.signalbox.runtime;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** What is known of an instance as bytes, and back; they live no longer than one verification. */
final class LifeCodec {
  private LifeCodec() {}

  static byte[] bytes(Lives.Life life) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      part(life.head, out);
      out.writeLong(life.sequence);
      part(life.refusalHead, out);
      out.writeLong(life.refusals);
      out.writeBoolean(life.broken);
      out.writeBoolean(life.ended);
      out.writeLong(life.number);
      out.writeLong(life.row);
      out.writeBoolean(life.met);
      Replay replay = life.replay;
      Replay.State state = replay == null ? null : replay.state();
      out.writeBoolean(state != null);
      if (state != null) {
        part(state.snapshot(), out);
        out.writeUTF(state.digest());
        out.writeBoolean(state.paused());
        out.writeLong(state.stoppedAt());
        out.writeLong(state.at());
        out.writeLong(state.since());
      }
    } catch (IOException e) {
      throw new IllegalStateException("Expected to write into memory.", e);
    }
    return bytes.toByteArray();
  }

  static Lives.Life read(byte[] bytes, Lives.Restoring restoring) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      Lives.Life life = new Lives.Life();
      life.head = part(in);
      life.sequence = in.readLong();
      life.refusalHead = part(in);
      life.refusals = in.readLong();
      life.broken = in.readBoolean();
      life.ended = in.readBoolean();
      life.number = in.readLong();
      life.row = in.readLong();
      life.met = in.readBoolean();
      if (in.readBoolean()) {
        byte[] snapshot = part(in);
        String digest = in.readUTF();
        boolean paused = in.readBoolean();
        long stoppedAt = in.readLong();
        long at = in.readLong();
        long since = in.readLong();
        life.replay =
            restoring.restored(new Replay.State(snapshot, digest, paused, stoppedAt, at, since));
      }
      return life;
    } catch (IOException e) {
      throw new IllegalStateException("Expected to read from memory.", e);
    }
  }

  private static void part(byte[] part, DataOutputStream out) throws IOException {
    out.writeInt(part.length);
    out.write(part);
  }

  private static byte[] part(DataInputStream in) throws IOException {
    byte[] part = new byte[in.readInt()];
    in.readFully(part);
    return part;
  }
}
