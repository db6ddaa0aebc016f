import { defineRule, dig, keyTableOf, listed, mappingsOf, nearest } from "../src/api.js";

const references = [
  ["configMapKeyRef", "ConfigMap"],
  ["secretKeyRef", "Secret"],
] as const;

export default defineRule({
  id: "env-sources-exist",
  summary: "A key that an environment variable is read from is in the rendered ConfigMap or Secret of that name",
  scope: "container",
  severity: "error",
  category: "configuration",
  *check(container, { judged }) {
    for (const { body, index } of mappingsOf(container.body["env"])) {
      // A value that is not empty wins over valueFrom.
      if (typeof body["name"] !== "string" || (body["value"] ?? "") !== "") continue;
      const variable = container.at.key("env").item(index, body["name"]);
      for (const [field, kind] of references) {
        const name = dig(body, "valueFrom", field, "name");
        const key = dig(body, "valueFrom", field, "key");
        if (typeof name !== "string" || typeof key !== "string" || dig(body, "valueFrom", field, "optional") === true) continue;
        const table = keyTableOf(kind, name, container.workload);
        if (table === undefined) continue;
        if (!table.keys.has(key) && !table.closed) continue;
        judged();
        if (table.keys.has(key)) continue;
        const keys = [...table.keys.keys()];
        const guess = nearest(key, keys);
        const has = keys.length > 6 ? `${listed([...keys.slice(0, 5), `${keys.length - 5} more`])}` : listed(keys);
        yield {
          at: variable.key("valueFrom", field, "key"),
          message:
            keys.length === 0
              ? `${body["name"]} of "${container.name}" reads the key "${key}" of ${kind}/${name}, which ${table.by.label} renders without any key: the container cannot start until somebody fills it`
              : `${body["name"]} of "${container.name}" reads the key "${key}" of ${kind}/${name}, which has ${has}: the container cannot start`,
          hint: guess === undefined ? `add the key to ${table.by.label}, or mark the reference optional` : `did you mean "${guess}"?`,
          // An object without any key is often filled by an operator or a job.
          severity: keys.length === 0 ? "warning" : "error",
        };
      }
    }
  },
});
