import { type Container, defineRule, type Problem, probeFaults } from "../src/api.js";

const roles = ["startup", "readiness", "liveness"] as const;

export default defineRule({
  id: "probe-shape-valid",
  summary: "A probe is one that the API server accepts, field by field",
  scope: "container",
  severity: "error",
  category: "probes",
  *check(container, { judged }) {
    const given = roles.filter((role) => isSet(container, `${role}Probe`));
    if (container.role === "init") {
      yield* onInitContainer(container, judged);
      return;
    }
    for (const role of given) {
      judged();
      const field = `${role}Probe`;
      for (const { at, text, hint, fix } of probeFaults(role, container.body[field], container.at.key(field))) {
        yield {
          at,
          message: `the ${role} probe of "${container.name}" ${text}`,
          ...(hint === undefined ? {} : { hint }),
          ...(fix === undefined ? {} : { fix: { value: fix } }),
        };
      }
    }
  },
});

function* onInitContainer(container: Container, judged: () => void): Iterable<Problem> {
  for (const field of [...roles.map((role) => `${role}Probe`), "lifecycle"]) {
    if (!isSet(container, field)) continue;
    judged();
    yield {
      at: container.at.key(field),
      message: `init container "${container.name}" has a ${field}: the API says "may not be set for init containers without restartPolicy=Always"`,
      hint: "take it out, or make it a sidecar with restartPolicy: Always",
    };
  }
}

function isSet({ body }: Container, field: string): boolean {
  return body[field] !== undefined && body[field] !== null;
}
