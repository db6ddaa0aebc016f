import { defineRule, type Place, probeNumberFields, type Wire } from "../src/api.js";

const roles = ["startup", "readiness", "liveness"];

export default defineRule({
  id: "values-wired-straight",
  summary: "Each number of a probe's values drives the field of its own name, of its own probe",
  scope: "environment",
  severity: "warning",
  category: "configuration",
  deep: true,
  *check(_, { reruns, judged }) {
    for (const wire of reruns?.wires ?? []) {
      const key = String(wire.path.at(-1));
      const path = wire.path.join(".");
      if (wire.reached.length > 0 || probeNumberFields.includes(key)) judged();
      for (const { at, role, field } of wire.reached) {
        if (probeNumberFields.includes(key) && field !== key) {
          yield {
            at,
            message: `${field} of the ${role} probe${named(at)} is driven by "${path}", expected a value called ${field}`,
            hint: `wire ${field} to the ${field} of its own block`,
          };
          continue;
        }
        const own = roleOf(wire);
        if (own === undefined || own === role) continue;
        yield {
          at,
          message: `${field} of the ${role} probe${named(at)} is driven by "${path}", which is named after ${own}`,
          hint: `give the ${role} probe a block of its own`,
        };
      }
      if (wire.moved || !probeNumberFields.includes(key)) continue;
      const sibling = (reruns?.wires ?? []).find((other) => other.reached.length > 0 && parentOf(other) === parentOf(wire));
      const probe = sibling?.reached[0];
      if (probe === undefined) continue;
      yield {
        at: probe.at.parent().key(key),
        message: `"${path}" is ignored: its neighbour ${String(sibling?.path.at(-1))} drives the ${probe.role} probe${named(probe.at)}, but nothing reads ${key}`,
        hint: `render ${key} from it, or remove it from the values`,
      };
    }
  },
});

/** The one probe that a path names. */
function roleOf({ path }: Wire): string | undefined {
  const text = path.slice(0, -1).join(".").toLowerCase();
  const found = roles.filter((role) => text.includes(role));
  return found.length === 1 ? found[0] : undefined;
}

function parentOf({ path }: Wire): string {
  return JSON.stringify(path.slice(0, -1));
}

function named(at: Place): string {
  return at.container === undefined ? "" : ` of "${at.container}"`;
}
