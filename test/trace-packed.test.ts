import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { renderReport } from "../src/report/index.js";
import { run } from "../src/run.js";

const base = mkdtempSync(join(tmpdir(), "helm-invariants-packed-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(join(base, file, ".."), { recursive: true });
  writeFileSync(join(base, file), text);
}

write("build/queue/Chart.yaml", "apiVersion: v2\nname: queue\nversion: 1.0.0\n");
write("build/queue/values.yaml", "liveness: { timeoutSeconds: 2 }\nreadiness: { timeoutSeconds: 7 }\n");
write(
  "build/queue/templates/queue.yaml",
  `apiVersion: apps/v1
kind: Deployment
metadata: { name: queue }
spec:
  selector: { matchLabels: { app: queue } }
  template:
    metadata: { labels: { app: queue } }
    spec:
      containers:
        - name: queue
          image: queue:1.0.0
          livenessProbe: { httpGet: { path: /alive, port: 80 }, periodSeconds: 5, timeoutSeconds: {{ .Values.liveness.timeoutSeconds }} }
          readinessProbe: { httpGet: { path: /ready, port: 80 }, periodSeconds: 5, timeoutSeconds: {{ .Values.readiness.timeoutSeconds }} }
`,
);
write("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n  - name: queue\n    version: 1.0.0\n");
write("chart/values.yaml", "{}\n");
write("prod.yaml", "queue:\n  liveness:\n    timeoutSeconds: 8\n");
mkdirSync(join(base, "chart/charts"));
execFileSync("tar", ["-czf", join(base, "chart/charts/queue-1.0.0.tgz"), "-C", join(base, "build"), "queue"]);

describe("a packed subchart", () => {
  it("points at the overlay that set a value, and at the dependency's line for what only the archive says", async () => {
    const outcome = await run({
      target: join(base, "chart"),
      values: [join(base, "prod.yaml")],
      only: ["timeout-within-period"],
      root: base,
      today: "2026-11-30",
    });
    const places = outcome.findings.map(({ field, location }) => [
      field.replace(/^.*\.(\w+Probe).*$/, "$1"),
      location?.file,
      location?.line,
    ]);
    expect(places.sort()).toEqual([
      ["livenessProbe", "prod.yaml", 3],
      ["readinessProbe", "chart/Chart.yaml", 5],
    ]);
  });

  it("takes comments at the dependency's line, and says which of them are malformed", async () => {
    const comment = "# helm-invariants: allow timeout-within-period -- theirs\n  ";
    const idle = "# helm-invariants: allow timeout-within-period\n";
    write(
      "waived/Chart.yaml",
      `apiVersion: v2\nname: shop\n${idle}version: 1.0.0\ndependencies:\n  ${comment}- name: queue\n    version: 1.0.0\n`,
    );
    cpSync(join(base, "chart/charts"), join(base, "waived/charts"), { recursive: true });
    const only = ["timeout-within-period", "waiver-in-use"];
    const outcome = await run({ target: join(base, "waived"), only, root: base, today: "2026-11-30" });
    const said = outcome.findings.map(({ rule, status, location }) => `${rule} ${status} ${location?.file}:${location?.line}`);
    expect(said.sort()).toEqual(["timeout-within-period waived waived/Chart.yaml:7", "waiver-in-use open waived/Chart.yaml:3"]);
  });
});

describe("a chart that is an archive itself", () => {
  const packed = join(base, "queue-1.0.0.tgz");
  const only = ["timeout-within-period", "readiness-behind-service", "grace-covers-shutdown", "startup-covers-boot"];
  const check = async (values: readonly string[]) => {
    cpSync(join(base, "chart/charts/queue-1.0.0.tgz"), packed);
    return run({ target: packed, values: [...values], only, root: base, today: "2026-11-30", traceNotes: true });
  };

  it("names the template line inside of it, and points at nothing that is not there", async () => {
    const outcome = await check([]);
    expect(outcome.failures).toEqual([]);
    const [readiness] = outcome.findings.filter(({ rule }) => rule === "timeout-within-period");
    expect(readiness?.location).toMatchObject({ file: "queue-1.0.0.tgz", line: 1, exact: false });
    expect(readiness?.notes).toContainEqual({ label: "where", text: "rendered by templates/queue.yaml:13 in the archive" });
    const [absent] = outcome.findings.filter(({ field }) => field.endsWith("failureThreshold") || field.endsWith("livenessProbe"));
    expect(absent?.notes).toContainEqual({ label: "where", text: expect.stringContaining("templates/queue.yaml:12 in the archive") });
    const options = { minSeverity: "note", color: false, root: base, version: "1.0.0", page: () => undefined } as const;
    const sarif = await renderReport("sarif", outcome, options);
    const places = [...sarif.matchAll(/"uri": "([^"]+)"/g)].map(([, uri]) => uri).filter((uri) => uri?.includes("queue"));
    expect([...new Set(places)]).toEqual(["queue-1.0.0.tgz"]);
  });

  it("points at the overlay's line, and names the template line beside it", async () => {
    write("archive.yaml", "liveness:\n  timeoutSeconds: 8\n");
    const outcome = await check([join(base, "archive.yaml")]);
    const [liveness] = outcome.findings.filter(({ rule, field }) => rule === "timeout-within-period" && field.includes("livenessProbe"));
    expect(liveness?.location).toMatchObject({ file: "archive.yaml", line: 2, exact: true });
    expect(liveness?.related.filter(({ file }) => file.includes("tgz"))).toEqual([]);
    expect(liveness?.notes).toContainEqual({ label: "where", text: "rendered by templates/queue.yaml:12 in the archive" });
  });
});
