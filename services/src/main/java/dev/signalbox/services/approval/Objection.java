package dev.signalbox.services.approval;

import java.util.List;
import java.util.Map;

/**
 * Why somebody may not say yes to a request, in words for that person.
 *
 * @param code a word for programs, which stays as it is
 */
public record Objection(String code, String message) {

  static Objection decided() {
    return new Objection("decided", "It does not wait for a decision any more.");
  }

  static Objection notAnApprover() {
    return new Objection("not-an-approver", "Only an approver decides.");
  }

  static Objection asked() {
    return new Objection("asked", "You asked for this; somebody else decides.");
  }

  static Objection approved(int missing) {
    return new Objection("approved", "You have approved it; it needs %d more.".formatted(missing));
  }

  static Objection delegated() {
    return new Objection("delegated", "You gave your say to somebody else.");
  }

  static Objection notAssigned(List<String> people) {
    return new Objection(
        "not-assigned", "It is put to others: %s.".formatted(String.join(", ", people)));
  }

  static Objection noRole(List<String> roles) {
    return new Objection(
        "no-role", "Only somebody with the role %s decides.".formatted(String.join(" or ", roles)));
  }

  public Map<String, Object> asMap() {
    return Map.of("code", code, "message", message);
  }
}
