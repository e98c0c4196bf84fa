package dev.signalbox.systems.runs;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.tool.Tool;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolLimits;
import dev.signalbox.services.tool.ToolUsage;
import dev.signalbox.systems.runs.audit.AuditedRun;
import dev.signalbox.systems.runs.audit.Auditors;
import dev.signalbox.systems.runs.audit.Extension;
import dev.signalbox.systems.runs.audit.Finding;
import dev.signalbox.systems.runs.audit.Judgement;
import dev.signalbox.systems.runs.audit.RunReader;
import dev.signalbox.systems.runs.audit.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Lets the auditors look at a run, one after the other: the rules, and beside them what the plan
 * names. Everything that an auditor found is evidence; the journal has it in short.
 */
final class AuditWork {
  /** What an auditor is told besides the arguments of the plan, as far as it is known before. */
  static final Map<String, Object> TOLD =
      Map.of("run_id", "run", "run_folder", "folder", "auditor", "auditor");

  private static final int NOTES = 20;
  private static final int LONGEST = 500;

  private final Host host;
  private final RunsSettings settings;
  private final PlanConsent plans;
  private final Trees trees;
  private final Toolbox toolbox;

  private final FolderTurns turns;

  AuditWork(
      Host host,
      RunsSettings settings,
      PlanConsent plans,
      Trees trees,
      Toolbox toolbox,
      FolderTurns turns) {
    this.host = host;
    this.settings = settings;
    this.plans = plans;
    this.trees = trees;
    this.toolbox = toolbox;
    this.turns = turns;
  }

  Outcome audit(Call call) throws Exception {
    return turns.alone(call.instance(), () -> auditAlone(call));
  }

  private Outcome auditAlone(Call call) throws IOException, InterruptedException {
    Instance run = RunWork.wanting(host, call.instance(), "AUDITING");
    if (run == null) {
      return Outcome.failed(Map.of("why", "the run does not want an audit any more"));
    }
    Map<String, Object> input = Form.map(call.input(), "input");
    String auditor = Form.text(input, "auditor");
    Plan plan = Plan.of(Form.map(run.context(), "plan"));
    RunFolder folder = RunFolder.of(settings, run.id());
    AuditedRun audited =
        RunReader.read(
            host, run, folder.evidence(), folder.before(plan), folder.footprint(plan.folder()));
    AtomicReference<ToolUsage> used = new AtomicReference<>(ToolUsage.NONE);
    Verdict verdict =
        auditors(run, plan, auditor, folder, used::set).look(auditor, audited, before(input));
    folder.discard(attempt(auditor));
    Evidence findings =
        folder
            .evidence()
            .put(
                "findings", Json.text(verdict.findings().stream().map(AuditWork::fields).toList()));
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("auditor", auditor);
    data.put("verdict", verdict.word());
    data.put("notes", notes(verdict));
    data.put("evidence", List.of(findings.fields()));
    data.put("model_calls", used.get().modelCalls());
    data.put("tokens", used.get().tokens());
    return Outcome.succeeded(data);
  }

  private static String attempt(String auditor) {
    return RunFolder.attempt("audit." + auditor, 1);
  }

  /** The rules, and beside them what the plan names, which looks at a copy of the folder. */
  private Auditors auditors(
      Instance run, Plan plan, String auditor, RunFolder folder, Consumer<ToolUsage> used)
      throws IOException, InterruptedException {
    ToolPlan beside = plan.auditors().get(auditor);
    if (beside == null) {
      return Auditors.rules();
    }
    Policy.Assessment assessed = plan.assessed(settings.policy(), beside);
    if (assessed.needsApproval()) {
      return beside(
          auditor,
          (_, _) ->
              List.of(
                  stop(
                      auditor,
                      "It was not run: an auditor may not be risky, but " + assessed.why())));
    }
    ToolCall call =
        new ToolCall(
            run.id() + "/audit/" + auditor,
            auditor,
            arguments(run.id(), auditor, beside),
            plan.folder(),
            new ToolLimits(beside.timeout(), beside.outputBytes()));
    plans.requireKept(run, plan);
    toolbox.tool(beside).clear(call);
    Path own = settings.folder().resolve(run.id());
    Path copy = folder.prepare(attempt(auditor), plan.folder(), trees.require(run, plan));
    Tool tool =
        toolbox.tool(beside, reach -> reach.showing(copy).writable(false).owning(List.of(own)));
    ToolCall there = beside.kind() == ToolPlan.Kind.HANDLER ? call.in(copy) : call;
    Extension command = Extension.command(tool, there, used);
    return beside(
        auditor,
        (audited, rules) -> {
          List<Finding> findings = new ArrayList<>(command.look(audited, rules));
          RunFolder.Changes changes = folder.changes(attempt(auditor), plan.folder());
          if (!changes.touched().isEmpty()) {
            findings.add(
                stop(
                    auditor,
                    "Expected it to read only, but found changed: %s; that was taken back."
                        .formatted(RunFolder.told(changes.touched()))));
          }
          return findings;
        });
  }

  private static Auditors beside(String auditor, Extension extension) {
    return new Auditors(List.of(), Map.of(auditor, List.of(extension)));
  }

  private static Finding stop(String auditor, String text) {
    return new Finding(Judgement.STOP, "auditor", auditor, text);
  }

  /** What the plan says, and where what there is to look at can be found. */
  private Map<String, Object> arguments(String run, String auditor, ToolPlan beside) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("run_id", run);
    arguments.put("run_folder", settings.folder().resolve(run).toString());
    arguments.put("auditor", auditor);
    arguments.putAll(beside.arguments());
    return arguments;
  }

  /** What those before said, as the machine has it. */
  private static List<Verdict> before(Map<String, Object> input) {
    List<Verdict> verdicts = new ArrayList<>();
    for (Map<String, Object> each : Form.maps(input, "verdicts")) {
      String auditor = Form.text(each, "auditor");
      Judgement judgement = Judgement.valueOf(Form.text(each, "verdict"));
      List<Finding> findings =
          Form.texts(each, "notes").stream()
              .map(note -> new Finding(judgement, "note", "", note))
              .toList();
      verdicts.add(new Verdict(auditor, judgement, findings));
    }
    return verdicts;
  }

  private static Map<String, Object> fields(Finding finding) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("judgement", finding.judgement().name());
    fields.put("rule", finding.rule());
    fields.put("step", finding.step());
    fields.put("text", finding.text());
    return fields;
  }

  private static List<String> notes(Verdict verdict) {
    List<String> notes = new ArrayList<>();
    for (String note : verdict.notes()) {
      if (notes.size() == NOTES) {
        notes.add("and %d more".formatted(verdict.notes().size() - NOTES));
        return notes;
      }
      notes.add(note.length() <= LONGEST ? note : note.substring(0, LONGEST) + "…");
    }
    return notes;
  }
}
