import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.serverlessworkflow.api.WorkflowReader;
import io.serverlessworkflow.impl.WorkflowApplication;
import io.serverlessworkflow.impl.WorkflowError;
import io.serverlessworkflow.impl.WorkflowException;
import io.serverlessworkflow.impl.WorkflowInstance;
import java.nio.file.Path;
import java.util.logging.LogManager;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs documents with the reference runtime: a file of `[[document, input], ...]`; prints how each has ended, as one line. */
class OpenWorkflow {
  static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    LogManager.getLogManager().reset();
    var ended = JSON.createArrayNode();
    for (JsonNode run : JSON.readTree(Path.of(args[0]).toFile()))
      try (WorkflowApplication app = WorkflowApplication.builder().build()) {
        ended.add(ended(app, run.get(0).asText(), run.get(1)));
      }
    System.out.println(JSON.writeValueAsString(ended));
    System.exit(0);
  }

  static ObjectNode ended(WorkflowApplication app, String file, JsonNode input) throws Exception {
    var told = JSON.createObjectNode();
    WorkflowInstance instance;
    try {
      var given = JSON.treeToValue(input, Object.class);
      instance = app.workflowDefinition(WorkflowReader.readWorkflow(Path.of(file))).instance(given);
    } catch (IllegalArgumentException misfit) {
      return told.put("error", "INPUT_INVALID").put("why", String.valueOf(misfit));
    }
    try {
      return told.set("output", JSON.valueToTree(instance.start().get().asJavaObject()));
    } catch (Exception thrown) {
      Throwable cause = thrown;
      while (cause.getCause() != null && !(cause instanceof WorkflowException)) cause = cause.getCause();
      return told.put("error", codeOf(cause)).put("why", String.valueOf(cause));
    }
  }

  static String codeOf(Throwable cause) {
    if (cause instanceof IllegalArgumentException) return "OUTPUT_INVALID";
    if (!(cause instanceof WorkflowException exception)) return "" + cause;
    WorkflowError error = exception.getWorkflowError();
    if (error.type().startsWith("repertoire://errors/")) return error.type().substring(20);
    if (error.type().endsWith("/errors/expression")) return "SKILL_THREW";
    Matcher code = Pattern.compile("\\bcode=(\\w+)").matcher("" + error.details());
    return code.find() ? code.group(1) : "" + error;
  }
}
