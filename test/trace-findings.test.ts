import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type RunOptions, run } from "../src/run.js";

const scratch = mkdtempSync(join(tmpdir(), "trace-findings-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const chartYaml = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
let charts = 0;

/** Checks a chart of these files; gives its findings, and the text of the line that each stands on. */
async function check(files: Readonly<Record<string, string>>, options: Partial<RunOptions> = {}) {
  const chart = join(scratch, String(charts++));
  for (const [path, text] of Object.entries({ "Chart.yaml": chartYaml, ...files })) {
    mkdirSync(dirname(join(chart, path)), { recursive: true });
    writeFileSync(join(chart, path), text);
  }
  const config = "helm-invariants.yaml" in files ? { config: join(chart, "helm-invariants.yaml") } : { target: chart };
  const outcome = await run({ ...config, today: "2026-11-30", root: chart, traceNotes: true, ...options });
  const lineAt = ({ file, line }: { readonly file: string; readonly line: number }) =>
    `${file}: ${(readFileSync(join(chart, file), "utf8").split("\n")[line - 1] ?? "").trim()}`;
  const found = (rule: string) => outcome.findings.filter((finding) => finding.rule === rule);
  return {
    outcome,
    found,
    places: (rule: string) => found(rule).map(({ location }) => (location === undefined ? "nowhere" : lineAt(location))),
    related: (rule: string) => found(rule).flatMap(({ related }) => related.map((one) => `${lineAt(one)} ← ${one.message}`)),
  };
}

const scaled = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.autoscaling.replicas }}
  {{- end }}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: app, image: "web:1.0.0" }]
`;
const hpa = `{{- if .Values.autoscaling.enabled }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  minReplicas: {{ .Values.autoscaling.minReplicas | default 2 }}
  maxReplicas: 9
{{- end }}
`;
const scaledObject = `{{- if .Values.autoscaling.enabled }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: web }
spec:
  scaleTargetRef: { name: web }
  minReplicaCount: {{ .Values.autoscaling.minReplicas | default 2 }}
  maxReplicaCount: 9
{{- end }}
`;

describe("a count that an autoscaler decides", () => {
  const only = ["replicas-have-budget", "replicas-spread"];
  const values = (minimum: string) => `autoscaling:\n  enabled: true\n  replicas: 3\n${minimum}`;

  it.each([
    ["HorizontalPodAutoscaler", hpa],
    ["ScaledObject", scaledObject],
  ])("is found at the minimum of the %s, and waived there", async (_, scaler) => {
    const files = { "templates/web.yaml": scaled, "templates/scaler.yaml": scaler };
    const minimum = "values.yaml: minReplicas: 4";
    const shown = await check({ ...files, "values.yaml": values("  minReplicas: 4\n") }, { only });
    expect(shown.places("replicas-have-budget")).toEqual([minimum]);
    expect(shown.places("replicas-spread")).toEqual([minimum]);
    const comment = "  # helm-invariants: allow replicas-have-budget, replicas-spread -- a cache\n";
    const waived = await check({ ...files, "values.yaml": values(`${comment}  minReplicas: 4\n`) }, { only });
    const states = waived.outcome.findings.map(({ rule, status }) => `${rule} ${status}`);
    expect(states).toEqual(["replicas-have-budget waived", "replicas-spread waived"]);
  });

  it("is found at the template line when the template decides", async () => {
    const fixed = hpa.replace(/minReplicas: .*/, "minReplicas: 2");
    const shown = await check({ "templates/web.yaml": scaled, "templates/scaler.yaml": fixed, "values.yaml": values("") }, { only });
    expect(shown.places("replicas-have-budget")).toEqual(["templates/scaler.yaml: minReplicas: 2"]);
  });
});

describe("an element of a list that toYaml writes", () => {
  const web = (env: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: app
          image: "web:1.0.0"
          env:
${env}
`;
  const whole = "            {{- toYaml .Values.env | nindent 12 }}";
  const beside = `            - name: MODE\n              value: "slow"\n${whole}`;
  const inWith = "            {{- with .Values.env }}\n            {{- toYaml . | nindent 12 }}\n            {{- end }}";
  const list = "env:\n  - name: FIRST\n    value: a\n  - name: MODE\n    value: slow\n  - name: MODE\n    value: fast\n";

  it.each([
    ["alone", web(whole), list, 6, "prod.yaml:4"],
    ["below with", web(inWith), list, 6, "prod.yaml:4"],
    ["behind elements of the template", web(beside), "env:\n  - name: MODE\n    value: fast\n", 2, "templates/web.yaml:13"],
  ])("is found at its own line of the overlay: %s", async (_, template, overlay, line, first) => {
    const files = { "templates/web.yaml": template, "values.yaml": "env: []\n", "prod.yaml": overlay };
    const chart = join(scratch, String(charts));
    const shown = await check(files, { values: [join(chart, "prod.yaml")] });
    const [finding] = shown.found("env-names-unique");
    expect(`${finding?.location?.file}:${finding?.location?.line}`).toBe(`prod.yaml:${line}`);
    expect(finding?.location?.exact).toBe(true);
    expect(finding?.related.map((one) => `${one.file}:${one.line} ${one.message}`)).toContain(`${first} first "slow"`);
  });
});

describe("what the config declares", () => {
  const web = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: {{ .Values.name }}
          image: "web:1.0.0"
          startupProbe:
            httpGet: { path: /, port: 80 }
            failureThreshold: {{ .Values.failures }}
          readinessProbe: { httpGet: { path: /, port: 80 } }
`;
  const values = "name: web\nfailures: 30\n";
  const config = (timeout: string, facts: string) =>
    `charts:\n  - path: .\n    environments:\n      prod:\n        deploy:\n          wait: true\n          helm: 4\n          timeout: ${timeout}\n${facts}`;
  const rule = "deploy-wait-covers-rollout";
  const only = [rule, "startup-covers-boot", "waiver-in-use"];

  it("a wait is short beside the field that takes longest, and its line is named", async () => {
    const files = { "templates/web.yaml": web, "values.yaml": values, "helm-invariants.yaml": config("60s", "") };
    const { places, related } = await check(files, { only });
    expect(places(rule)).toEqual(["values.yaml: failures: 30"]);
    expect(related(rule)).toContain("helm-invariants.yaml: timeout: 60s ← deploy.timeout 60s is declared here");
    expect(related(rule).join("\n")).not.toContain("name: web");
  });

  it("a wait that is short for the facts alone is the line to change", async () => {
    const facts = "facts:\n  - of: '*'\n    boot: 90s\n    pull: 5m\n";
    const files = { "templates/web.yaml": web, "values.yaml": values, "helm-invariants.yaml": config("4m", facts) };
    const { places, related, found } = await check(files, { only });
    expect(places(rule)).toEqual(["helm-invariants.yaml: timeout: 4m"]);
    expect(found(rule)[0]).toMatchObject({ subject: "Deployment/web", container: "web" });
    expect(related(rule)).toEqual(
      expect.arrayContaining([
        "helm-invariants.yaml: pull: 5m ← pull 300s is declared here",
        "helm-invariants.yaml: boot: 90s ← boot 90s is declared here",
      ]),
    );
  });

  it.each(["boot: 400s", "timeout: 4m"])("%s can be waived at its line", async (line) => {
    const facts = "facts:\n  - of: '*'\n    boot: 400s\n";
    const text = config("4m", facts).replace(line, `${line} # helm-invariants: allow ${rule} -- a slow start`);
    const files = { "templates/web.yaml": web, "values.yaml": values, "helm-invariants.yaml": text };
    const { found, related } = await check(files, { only });
    expect(related("startup-covers-boot")).toContainEqual(expect.stringContaining("← boot 400s is declared here"));
    expect(found(rule).map(({ status }) => status)).toEqual(["waived"]);
  });
});

describe("comments in the config", () => {
  it("waive what a set of the config is the line of, and are findings when they waive nothing", async () => {
    const template = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: app, image: "web:1.0.0" }]
`;
    const config = `# helm-invariants: allow replicas-spread
charts:
  - path: .
    environments:
      prod:
        set:
          # helm-invariants: allow replicas-spread -- one zone
          replicas: 3 # helm-invariants: allow replicas-have-budget until 2026-11-29 -- soon
# helm-invariants: allow roll-keeps-serving -- nothing here
nodes: 3
`;
    const files = { "templates/web.yaml": template, "values.yaml": "replicas: 1\n", "helm-invariants.yaml": config };
    const { outcome } = await check(files);
    expect(outcome.findings.map(({ rule, status, location }) => `${location?.line} ${rule} ${status}`).sort()).toEqual([
      "1 waiver-in-use open",
      "8 replicas-have-budget open",
      "8 replicas-spread waived",
      "8 waiver-in-use open",
      "9 waiver-in-use open",
    ]);
  });
});
