import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findHelm } from "../src/render/helm.js";
import { type RunOutcome, run } from "../src/run.js";
import { chartYaml, deployment, traceFieldsIn, tracerIn, write } from "./traced-field.js";

const memex = join(import.meta.dirname, "..", "fixtures", "charts", "memex");
const today = "2026-11-30";
const scratch = mkdtempSync(join(tmpdir(), "trace-test-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The line that a reviewer would change, a row an environment of `incidents.yaml` and rule. */
const incidents: readonly (readonly [environment: string, rule: string, file: string, text: string])[] = [
  ["death-spiral", "readiness-not-on-startup-path", "envs/death-spiral.yaml", "path: /health"],
  ["one-path", "check-on-right-probe", "envs/one-path.yaml", "path: /alive"],
  ["one-path", "liveness-not-on-readiness-path", "values.yaml", "path: /alive"],
  ["wall", "timeout-covers-latency", "envs/wall.yaml", "timeoutSeconds: 5"],
  ["neighbour", "timeout-covers-latency", "envs/neighbour.yaml", "timeoutSeconds: 5"],
  ["break-glass", "readiness-not-on-startup-path", "envs/break-glass.yaml", "path: /ready"],
  ["break-glass", "gate-read-by-readiness", "envs/break-glass.yaml", "path: /ready"],
  ["raised-timeout", "timeout-covers-latency", "envs/raised-timeout.yaml", "timeoutSeconds: 30"],
  ["raised-timeout", "timeout-within-period", "envs/raised-timeout.yaml", "timeoutSeconds: 30"],
  ["raised-as-debt", "timeout-within-period", "envs/raised-as-debt.yaml", "timeoutSeconds: 30"],
  ["debt-due", "debt-is-due", "envs/debt-due.yaml", "timeoutSeconds: 30"],
  ["gate-on-startup", "gate-read-by-readiness", "values.yaml", "path: /health"],
  ["gate-on-startup", "check-on-right-probe", "values.yaml", "path: /health"],
  ["gate-without-reader", "gate-read-by-readiness", "envs/gate-without-reader.yaml", "path: /alive"],
  ["armed-by-whom", "gate-read-by-readiness", "envs/armed-by-whom.yaml", "path: /alive"],
  ["shadowed-gate", "env-names-unique", "envs/shadowed-gate.yaml", "PreWarm__GateReadiness"],
  ["gate-protects-nothing", "gate-read-by-readiness", "envs/gate-protects-nothing.yaml", "maxUnavailable: 1"],
  ["gate-protects-nothing", "roll-keeps-serving", "envs/gate-protects-nothing.yaml", "maxUnavailable: 1"],
  ["gate-without-sweep", "gate-read-by-readiness", "envs/gate-without-sweep.yaml", "gateReadiness: true"],
  ["deadline-without-bake", "progress-deadline-covers-rollout", "envs/deadline-without-bake.yaml", "bakeSeconds: 0"],
  ["default-deadline", "progress-deadline-covers-rollout", "envs/default-deadline.yaml", "progressDeadlineSeconds: null"],
  ["default-deadline-boot", "progress-deadline-covers-rollout", "envs/default-deadline-boot.yaml", "progressDeadlineSeconds: null"],
  ["image-second", "probe-path-served", "values.yaml", "path: /ready"],
  ["write-canary", "probe-work-fits-timeout", "envs/write-canary.yaml", "timeoutSeconds: 10"],
  ["write-canary", "liveness-needs-no-dependency", "envs/write-canary.yaml", "command: [mcp-healthcheck]"],
  ["two-replicas", "replicas-have-budget", "envs/two-replicas.yaml", "replicas: 2"],
  ["two-replicas", "replicas-spread", "envs/two-replicas.yaml", "replicas: 2"],
  ["keda-and-replicas", "replicas-owned-once", "envs/keda-and-replicas.yaml", "replicas: 1"],
];

describe("every incident lands on the line that a reviewer changes", () => {
  let outcome: RunOutcome;
  beforeAll(async () => {
    outcome = await run({ config: join(memex, "incidents.yaml"), today, traceNotes: true, root: memex });
  });

  it.each(incidents)("%s: %s in %s", (environment, rule, file, text) => {
    const found = outcome.findings.filter((finding) => finding.rule === rule && finding.environments.includes(environment));
    const lines = readFileSync(join(memex, file), "utf8").split("\n");
    const line = lines.findIndex((candidate) => candidate.includes(text)) + 1;
    expect(found.map(({ location }) => `${location?.file}:${location?.line}`)).toContain(`${file}:${line}`);
    for (const { location } of found) expect(location?.exact).toBe(true);
  });

  it("shows the values line first and then the template line, and names what it overrides", () => {
    const wall = outcome.findings.find(({ environments, severity }) => environments.includes("wall") && severity === "error");
    expect(wall?.excerpts.map(({ of, lines }) => [of, lines])).toEqual([
      [undefined, ["  startup:", "    periodSeconds: 10", "    timeoutSeconds: 5"]],
      [
        "templates/portal/deployment.yaml",
        [
          "            periodSeconds: {{ int $startup.periodSeconds }}",
          "            timeoutSeconds: {{ int $startup.timeoutSeconds }}",
          "            failureThreshold: {{ int $startup.failureThreshold }}",
        ],
      ],
    ]);
    expect(wall?.related.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([
      "values.yaml:35 overridden: chart default 5",
      "templates/portal/deployment.yaml:90 rendered by",
      "readings/wall.yaml:7 slowest reading 13.55s is declared here",
    ]);
    expect(wall?.writtenAt).toEqual([
      { file: "envs/wall.yaml", line: 5 },
      { file: "templates/portal/deployment.yaml", line: 90 },
    ]);
  });

  it("names all that an arithmetic field is computed from", () => {
    const deadline = outcome.findings.find(({ environments }) => environments.includes("deadline-without-bake"));
    const moved = deadline?.related.filter(({ message }) => message.startsWith("moved by")).map(({ message }) => message);
    expect(moved).toEqual(["moved by probes.startup.periodSeconds 10", "moved by probes.startup.failureThreshold 1080"]);
    // 12623 is right for the deadline, not for the bake
    expect(deadline?.fix).toBeUndefined();
  });

  it("keeps two findings of one rule on different lines apart", () => {
    const within = outcome.findings.filter(({ rule }) => rule === "timeout-within-period");
    expect(within.map(({ location }) => location?.file).sort()).toEqual([
      "envs/debt-due.yaml",
      "envs/raised-as-debt.yaml",
      "envs/raised-timeout.yaml",
    ]);
  });
});

describe("what tracing costs", () => {
  it("names the template file, and shows the render, when it is switched off", async () => {
    const outcome = await run({ target: memex, values: [join(memex, "envs/two-replicas.yaml")], today, trace: false, root: memex });
    const [finding] = outcome.findings.filter(({ rule }) => rule === "replicas-spread");
    expect(finding?.location).toMatchObject({ file: "templates/portal/deployment.yaml", line: 1, exact: false });
    expect(finding?.excerpts.map(({ of }) => of)).toEqual(["rendered"]);
  });

  it("renders nothing again for findings that are not shown", async () => {
    const outcome = await run({ target: memex, values: [join(memex, "envs/one-path-undeclared.yaml")], today, root: memex });
    expect(outcome.findings.map(({ severity }) => severity)).not.toContain("error");
    const notes = outcome.findings.filter(({ severity }) => severity === "note");
    expect(notes.length).toBeGreaterThan(0);
    for (const { location } of notes) expect(location?.line).toBe(1);
  });

  it("leaves no copy and no values behind", async () => {
    const folder = mkdtempSync(join(scratch, "tmp-"));
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder;
    try {
      await run({ target: memex, values: [join(memex, "envs/two-replicas.yaml")], today, helm: (await findHelm()).path });
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

const trace = tracerIn(scratch);

describe("values lines", () => {
  it("finds an alias where its anchor is written, and a merge key", async () => {
    const files = {
      "values.yaml": "base: &base\n  replicas: 4\n  grace: &grace 17\nweb:\n  <<: *base\n  seconds: *grace\n",
      "templates/web.yaml": deployment("  replicas: {{ .Values.web.replicas }}\n  minReadySeconds: {{ .Values.web.seconds }}\n"),
    };
    expect((await trace("merge", files, "spec.replicas")).where).toContain("web.replicas copy values.yaml:2");
    expect((await trace("alias", files, "spec.minReadySeconds")).where).toContain("web.seconds copy values.yaml:3");
  });

  it("says that a value is not set, at the nearest ancestor, with the default", async () => {
    const found = await trace(
      "unset",
      {
        "values.yaml": "probes:\n  startup:\n    period: 5\n",
        "templates/web.yaml": deployment("  replicas: {{ .Values.probes.startup.copies | default 3 }}\n  paused: false\n"),
      },
      "spec.replicas",
    );
    expect(found.movedBy).toMatchObject([{ path: "probes.startup.copies", how: "unset", default: "3", file: "values.yaml", line: 2 }]);
  });

  it("finds what a field would be copied from that a toYaml block does not hold", async () => {
    const found = await trace(
      "absent",
      {
        "values.yaml": "rollout:\n  maxSurge: 1\nother: 1\n",
        "templates/web.yaml": deployment("  strategy:\n    rollingUpdate:\n      {{- toYaml .Values.rollout | nindent 6 }}\n"),
      },
      "spec.strategy.rollingUpdate.maxUnavailable",
    );
    expect(found.movedBy).toMatchObject([{ path: "rollout.maxUnavailable", how: "unset", file: "values.yaml", line: 1 }]);
  });

  it("does not try conditions that hold, and finds what is not set behind another", async () => {
    const found = await trace(
      "conditions",
      {
        "values.yaml": 'claim:\n  enabled: true\n  policy: ""\n  existing: ""\nkeep: true\n',
        "templates/web.yaml":
          '{{- if and .Values.claim.enabled (not .Values.claim.existing) }}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ required "claim" (ternary "web" "" (not .Values.claim.existing)) }}\nspec:\n  paused: false\n  {{- if not .Values.keep }}\n  other: 1\n  {{- else if .Values.claim.policy }}\n  minReadySeconds: {{ .Values.claim.policy }}\n  {{- end }}\n{{- end }}\n',
      },
      "spec.minReadySeconds",
    );
    expect(found.where).toEqual(["claim.policy unset values.yaml:3"]);
    expect(found.notMovedBy).not.toContain("claim.enabled");
  });

  it("sees in one render what a number is computed from", async () => {
    const files = {
      "values.yaml": "seconds: 5\nother: 7\n",
      "templates/web.yaml": deployment("  minReadySeconds: {{ add1 .Values.seconds }}\n  replicas: {{ mul .Values.other 2 }}\n"),
    };
    const [first, second] = await traceFieldsIn(join(scratch, "computed"), files, ["spec.minReadySeconds", "spec.replicas"]);
    expect([first?.where, second?.where]).toEqual([["seconds change values.yaml:1"], ["other change values.yaml:2"]]);
    // with marks, and with both values changed
    expect(first?.renders).toBe(2);
  });

  it("claims nothing for a literal, and spends no render on it", async () => {
    const found = await trace(
      "literal",
      { "values.yaml": "replicas: 3\n", "templates/web.yaml": deployment("  replicas: 3\n") },
      "spec.replicas",
    );
    expect(found.movedBy).toEqual([]);
    expect(found.template).toMatchObject({ file: "templates/web.yaml", line: 6, exact: true });
  });

  it("is not misled by another value of the same size, nor by a condition", async () => {
    const found = await trace(
      "twins",
      {
        "values.yaml": "a: 5\nb: 5\nreplicas: 2\n",
        "templates/web.yaml": deployment(
          "  {{- if gt (int .Values.replicas) 100 }}\n  minReadySeconds: {{ .Values.a }}\n  {{- else }}\n  minReadySeconds: {{ .Values.b }}\n  {{- end }}\n  replicas: {{ .Values.replicas }}\n",
        ),
      },
      "spec.minReadySeconds",
    );
    expect(found.where).toEqual(["b copy values.yaml:2"]);
  });

  it("does not take a random field for one that moves", async () => {
    const found = await trace(
      "random",
      {
        "values.yaml": "seed: 5\nlength: 8\n",
        "templates/web.yaml": deployment('  minReadySeconds: {{ randNumeric 6 | trimPrefix "0" | int | add (.Values.seed | mul 0) }}\n'),
      },
      "spec.minReadySeconds",
    );
    expect(found.movedBy).toEqual([]);
  });

  it("reads helpers, dicts and ranges", async () => {
    const files = {
      "values.yaml": "web:\n  timing: { delay: 7 }\nlist:\n  - name: a\n    seconds: 31\n  - name: b\n    seconds: 32\n",
      "templates/_web.tpl": '{{- define "web.seconds" -}}\n{{ add .own.timing.delay 1 }}\n{{- end }}\n',
      "templates/web.yaml": deployment(
        '  minReadySeconds: {{ include "web.seconds" (dict "own" .Values.web) }}\n  template:\n    spec:\n      containers:\n        {{- range $index, $one := .Values.list }}\n        - name: {{ $one.name }}\n          startupProbe:\n            periodSeconds: {{ $one.seconds }}\n        {{- end }}\n',
      ),
    };
    expect((await trace("helpers", files, "spec.minReadySeconds")).where).toEqual(["web.timing.delay change values.yaml:2"]);
    expect((await trace("ranges", files, "containers[b].startupProbe.periodSeconds")).where).toEqual([
      "list[1].seconds copy values.yaml:7",
    ]);
  });

  it("names every part of a text, in a range too, from wherever it comes", async () => {
    const files = {
      "values.yaml":
        'suffix: blue\ndebug: false\napps:\n  - name: a\n    image: repo/a\n    tag: "1.0"\nmap:\n  one: { image: repo/one, tag: v1 }\nbase: "{{ .Values.suffix }}/x"\n',
      "prod.yaml": "map:\n  one:\n    tag: v9\n",
      "templates/web.yaml": deployment(
        [
          "  template:",
          "    spec:",
          "      containers:",
          "        {{- range .Values.apps }}",
          "        - name: {{ .name }}",
          '          image: "{{ .image }}:{{ .tag }}-{{ $.Values.suffix }}{{ if $.Values.debug }}-debug{{ end }}"',
          "        {{- end }}",
          "        {{- range $key, $one := .Values.map }}",
          "        - name: {{ $key }}",
          '          image: "{{ $one.image }}:{{ $one.tag }}-{{ $.Values.suffix }}"',
          "          workingDir: {{ tpl $.Values.base $ }}",
          "        {{- end }}",
          "",
        ].join("\n"),
      ),
    };
    const folder = join(scratch, "composed");
    const sets = ["suffix=green", "map.one.image=repo/uno"].map((expression) => ({ flag: "--set" as const, expression }));
    const fields = ["containers[a].image", "containers[one].image", "containers[one].workingDir"];
    const found = await traceFieldsIn(folder, files, fields, { values: [join(folder, "prod.yaml")], sets });
    expect(
      found.map(({ movedBy }) => movedBy.map(({ path, flag = "", file = "", line = "" }) => `${path} ${flag}${file}:${line}`)),
    ).toEqual([
      ["apps[0].image values.yaml:5", "suffix --set suffix:", "apps[0].tag values.yaml:6", "debug values.yaml:2"],
      ["map.one.image --set map.one.image:", "suffix --set suffix:", "map.one.tag prod.yaml:3"],
      ["suffix --set suffix:", "base values.yaml:9"],
    ]);
    expect(found[0]?.renders).toBeLessThanOrEqual(12);
  });

  it("names the chart default, the overlays and the winner, and a flag before them", async () => {
    const files = {
      "values.yaml": "replicas: 1\n",
      "a.yaml": "replicas: 2\n",
      "b.yaml": "# three\nreplicas: 3\n",
      "templates/web.yaml": deployment("  replicas: {{ .Values.replicas }}\n"),
    };
    const values = ["a.yaml", "b.yaml"].map((file) => join(scratch, "chain", file));
    const chain = await trace("chain", files, "spec.replicas", { values });
    expect(chain.movedBy).toMatchObject([
      {
        path: "replicas",
        value: 3,
        file: "b.yaml",
        line: 2,
        overrides: [
          { value: 2, file: "a.yaml", line: 1 },
          { value: 1, file: "values.yaml", line: 1 },
        ],
      },
    ]);
    const flagged = await trace("chain", files, "spec.replicas", { values, sets: [{ flag: "--set", expression: "replicas=4" }] });
    expect(flagged.movedBy).toMatchObject([{ path: "replicas", value: 4, flag: "--set replicas" }]);
    expect(flagged.movedBy[0]?.file).toBeUndefined();
  });

  it("finds the parent's line, the subchart's own, and a global", async () => {
    const files = {
      "values.yaml": "global:\n  grace: 40\nsub:\n  replicas: 2\n",
      "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
      "charts/sub/values.yaml": "replicas: 1\nready: 9\n",
      "charts/sub/templates/web.yaml": deployment(
        "  replicas: {{ .Values.replicas }}\n  minReadySeconds: {{ .Values.ready }}\n  progressDeadlineSeconds: {{ .Values.global.grace }}\n",
      ),
    };
    expect((await trace("parent", files, "spec.replicas")).movedBy).toMatchObject([
      { path: "sub.replicas", file: "values.yaml", line: 4, overrides: [{ value: 1, file: "charts/sub/values.yaml", line: 1 }] },
    ]);
    expect((await trace("own", files, "spec.minReadySeconds")).where).toEqual(["sub.ready copy charts/sub/values.yaml:2"]);
    expect((await trace("global", files, "spec.progressDeadlineSeconds")).where).toEqual(["global.grace copy values.yaml:2"]);
  });

  it("traces 400 leaves and 12 overlays within 12 renders", async () => {
    const leaves = Array.from({ length: 400 }, (_, index) => `leaf${index}: ${index % 7}`).join("\n");
    const overlays = Array.from(
      { length: 12 },
      (_, index) => [`o${index}.yaml`, `leaf${index}: ${index}\nleaf77: ${index + 50}\n`] as const,
    );
    const files = {
      "values.yaml": `${leaves}\n`,
      ...Object.fromEntries(overlays),
      "templates/web.yaml": deployment(
        "  replicas: {{ add (mul .Values.leaf77 2) .Values.leaf311 }}\n  minReadySeconds: {{ .Values.leaf5 }}\n",
      ),
    };
    const values = overlays.map(([file]) => join(scratch, "many", file));
    const found = await trace("many", files, "spec.replicas", { values });
    expect(found.where).toEqual(["leaf77 change o11.yaml:2", "leaf311 change values.yaml:312"]);
    expect(found.renders).toBeLessThanOrEqual(12);
  });

  it("finds by halving what no template names", async () => {
    const leaves = Array.from({ length: 60 }, (_, index) => `leaf${index}: ${index % 7}`).join("\n");
    const files = {
      "values.yaml": `${leaves}\n`,
      // the name of the value is computed, so that nobody can read it
      "templates/web.yaml": deployment('  replicas: {{ add (get $.Values (printf "leaf%d" (add 40 1))) 1 }}\n'),
    };
    const found = await trace("halving", files, "spec.replicas");
    expect(found.where).toEqual(["leaf41 change values.yaml:42"]);
    expect(found.renders).toBeLessThanOrEqual(12);
  });

  it("points at the line of Chart.yaml for a value of a packed subchart, and at the overlay when that sets it", async () => {
    const sub = write(join(scratch, "packed-sub"), {
      "Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
      "values.yaml": "replicas: 1\nready: 9\n",
      "templates/web.yaml": deployment("  replicas: {{ .Values.replicas }}\n  minReadySeconds: {{ .Values.ready }}\n"),
    });
    const files = {
      "Chart.yaml": `${chartYaml}dependencies:\n  - name: sub\n    version: 1.0.0\n`,
      "values.yaml": "sub:\n  replicas: 2\n",
    };
    const chart = write(join(scratch, "packed"), files);
    mkdirSync(join(chart, "charts"));
    writeFileSync(join(chart, "charts", "sub-1.0.0.tgz"), packChart(sub, "sub"));
    expect((await trace("packed", files, "spec.replicas")).where).toEqual(["sub.replicas copy values.yaml:2"]);
    const own = await trace("packed", files, "spec.minReadySeconds");
    expect(own.where).toEqual(["sub.ready copy Chart.yaml:5"]);
    expect(own.template).toBeUndefined();
  });

  it("traces the overlay of a packed chart", async () => {
    const inner = write(join(scratch, "tgz-inner"), {
      "Chart.yaml": chartYaml,
      "values.yaml": "replicas: 1\n",
      "templates/web.yaml": deployment("  replicas: {{ .Values.replicas }}\n"),
    });
    const folder = write(join(scratch, "tgz"), { "prod.yaml": "# prod\nreplicas: 4\n" });
    writeFileSync(join(folder, "demo-1.0.0.tgz"), packChart(inner, "demo"));
    const input = { chart: join(folder, "demo-1.0.0.tgz"), values: [join(folder, "prod.yaml")] };
    const found = await trace("tgz", { "Chart.yaml": "" }, "spec.replicas", input);
    expect(found.movedBy).toMatchObject([{ path: "replicas", line: 2 }]);
  });

  it("does not write to the chart, and does not show secrets", async () => {
    const files = {
      "values.yaml": "db:\n  password: hunter2\n  replicas: 2\n",
      "templates/web.yaml": deployment("  replicas: {{ .Values.db.replicas }}\n"),
    };
    const before = JSON.stringify(readdirSync(write(join(scratch, "quiet"), { "Chart.yaml": chartYaml, ...files }), { recursive: true }));
    await trace("quiet", files, "spec.replicas");
    expect(JSON.stringify(readdirSync(join(scratch, "quiet"), { recursive: true }))).toBe(before);
    const outcome = await run({ target: join(scratch, "quiet"), today, traceNotes: true });
    expect(JSON.stringify(outcome.findings)).not.toContain("hunter2");
  });
});

/** A chart folder as `helm package` would pack it. */
function packChart(folder: string, name: string): Uint8Array {
  const blocks: Buffer[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    const header = Buffer.alloc(512);
    header.write(`${name}/${path.slice(folder.length + 1)}`, 0);
    header.write("0000644\0", 100);
    header.write("0000000\0", 108);
    header.write("0000000\0", 116);
    header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        ", 148);
    header.write("0", 156);
    header.write("ustar\0" + "00", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    blocks.push(header, content, Buffer.alloc((512 - (content.length % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}
