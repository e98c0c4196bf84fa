package dev.signalbox.server.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpError;
import java.io.IOException;
import java.util.Map;

/**
 * The protocol's JSON with what strangers must not get out of it: a message that is no object is
 * refused as one, and an error is told without where in our code it arose.
 */
record MessageMapper(McpJsonMapper mapper) implements McpJsonMapper {
  private static <T> T there(T value) throws IOException {
    if (value == null) {
      throw new IOException("Expected a message, but there is none.");
    }
    return value;
  }

  private static Object told(Object value) {
    return value instanceof McpError error && error.getJsonRpcError() != null
        ? Map.of("error", error.getJsonRpcError())
        : value;
  }

  @Override
  public <T> T readValue(String text, Class<T> type) throws IOException {
    return there(mapper.readValue(text, type));
  }

  @Override
  public <T> T readValue(byte[] bytes, Class<T> type) throws IOException {
    return there(mapper.readValue(bytes, type));
  }

  @Override
  public <T> T readValue(String text, TypeRef<T> type) throws IOException {
    return there(mapper.readValue(text, type));
  }

  @Override
  public <T> T readValue(byte[] bytes, TypeRef<T> type) throws IOException {
    return there(mapper.readValue(bytes, type));
  }

  @Override
  public <T> T convertValue(Object value, Class<T> type) {
    return mapper.convertValue(value, type);
  }

  @Override
  public <T> T convertValue(Object value, TypeRef<T> type) {
    return mapper.convertValue(value, type);
  }

  @Override
  public String writeValueAsString(Object value) throws IOException {
    return mapper.writeValueAsString(told(value));
  }

  @Override
  public byte[] writeValueAsBytes(Object value) throws IOException {
    return mapper.writeValueAsBytes(told(value));
  }
}
