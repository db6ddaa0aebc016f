import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { run } from "../src/run.js";
import { chartYaml, deployment, write } from "./traced-field.js";

const scratch = mkdtempSync(join(tmpdir(), "trace-budget-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Containers whose startup timeouts are computed, each from a value of its own, so that each costs a render. */
function containers(count: number): string {
  const one = (index: number) =>
    [
      `        - name: c${index}`,
      "          image: web:1.0.0",
      "          startupProbe:",
      `            httpGet: { path: /up, port: ${8000 + index} }`,
      "            periodSeconds: 5",
      `            timeoutSeconds: {{ add (mul .Values.c${index} 2) 1 }}`,
      "",
    ].join("\n");
  return Array.from({ length: count }, (_, index) => one(index)).join("");
}

const seconds = (count: number) => Array.from({ length: count }, (_, index) => `c${index}: 20\n`).join("");

/** A container before the others whose timeout is a default. */
const unset =
  "        - name: unset\n          image: web:1.0.0\n          startupProbe:\n            httpGet: { path: /up, port: 7999 }\n            periodSeconds: 5\n            timeoutSeconds: {{ .Values.probe.timeout | default 30 }}\n";

function chartOf(name: string, values: string, spec: string): string {
  const head =
    "  selector: { matchLabels: { app: web } }\n  template:\n    metadata: { labels: { app: web } }\n    spec:\n      containers:\n";
  return write(join(scratch, name), {
    "Chart.yaml": chartYaml,
    "values.yaml": values,
    "templates/web.yaml": deployment(head + spec),
  });
}

async function timeouts(target: string) {
  const { findings, remarks } = await run({ target, today: "2026-11-30", root: scratch, only: ["timeout-within-period"] });
  return {
    remarks: remarks.map(({ message }) => message),
    lines: findings.map(({ container, location }) => `${container} ${location?.file.replace(/^[^/]*\//, "")}`),
    unset: findings.find(({ container }) => container === "unset"),
  };
}

describe("when the renders for tracing run out", () => {
  it("says how many findings point at the template for that", async () => {
    const { lines, remarks } = await timeouts(chartOf("many", seconds(16), containers(16)));
    const left = lines.filter((line) => line.endsWith("templates/web.yaml"));
    expect(lines).toHaveLength(16);
    expect(left.length).toBeGreaterThan(2);
    expect(lines.length - left.length).toBeGreaterThan(5);
    expect(remarks).toContain(`${left.length} findings of environment "default" point at the template: the 12 renders for tracing ran out`);
  });

  it("says nothing when they suffice", async () => {
    const { lines, remarks } = await timeouts(chartOf("few", seconds(3), containers(3)));
    expect(lines).toEqual(["c0 values.yaml", "c1 values.yaml", "c2 values.yaml"]);
    expect(remarks).toEqual([]);
  });

  it("points at the same line for a value that is not set, however many other findings there are", async () => {
    const alone = await timeouts(chartOf("alone", "probe: { period: 5 }\n", unset));
    const among = await timeouts(chartOf("among", `probe: { period: 5 }\n${seconds(16)}`, containers(16) + unset));
    expect(alone.unset?.related.map(({ message }) => message)).toContain("probe.timeout is not set; default 30");
    expect(among.unset?.location?.line).toBe(alone.unset?.location?.line);
    expect(among.unset?.location?.file.replace("among", "alone")).toBe(alone.unset?.location?.file);
  });
});
