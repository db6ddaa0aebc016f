import { describe, expect, it } from "vitest";
import { rules } from "../rules/index.js";
import { type Checked, checkAll, checkRun } from "../src/check.js";
import { loadConfigFragment } from "../src/config/load.js";
import type { Config } from "../src/config/types.js";
import type { Coverage } from "../src/findings.js";
import type { RefusalOutcome } from "../src/model/types.js";
import type { RunState } from "../src/rule.js";
import { type ActiveRule, selectRules } from "../src/ruleset.js";
import { environmentOf } from "./environment.js";

const today = "2026-06-15";

function configOf(yaml: string): Config {
  return loadConfigFragment(`config:\n${yaml.replace(/^/gm, "  ")}`, "/repo/helm-invariants.yaml", "/repo");
}

function only(id: string, config: Config): readonly ActiveRule[] {
  return selectRules(rules, config, {}).filter(({ rule }) => rule.id === id);
}

/** `severity message` of each finding. */
function said({ findings, failures }: Checked): readonly string[] {
  expect(failures).toEqual([]);
  return findings.map(({ severity, message }) => `${severity} ${message}`);
}

function judged({ coverage }: Checked): number {
  return coverage.reduce((sum, entry) => sum + entry.judged, 0);
}

describe("debt-is-due", () => {
  const byImage = `debts:
- { of: Deployment/web, field: startupProbe.timeoutSeconds, allow: 30, payBackTo: 5, because: slow walk, until: { image: ">=2.4.0-ci.10" } }`;
  const byDate = byImage.replace(/until:.*$/, "until: { date: 2026-12-31 } }");
  const byBoth = byImage.replace(/until:.*$/, 'until: { image: ">=2.4.0", date: 2026-12-31 } }');

  function check(debts: string, given: { timeout?: string; tag?: string; today?: string; kind?: string } = {}): Checked {
    const config = configOf(debts);
    const probe = given.timeout === undefined ? "" : `, timeoutSeconds: ${given.timeout}`;
    const environment = environmentOf(
      `apiVersion: apps/v1
kind: ${given.kind ?? "Deployment"}
metadata: { name: web }
spec:
  progressDeadlineSeconds: 900
  template: { spec: { containers: [{ name: app, image: "web:${given.tag ?? "2.3.0"}", startupProbe: { httpGet: { path: /, port: 80 }${probe} } }] } }
`,
      { name: "prod", debts: config.debts, today: given.today ?? today },
    );
    const charts = [{ path: "chart", environments: [environment], refusals: [] }];
    return checkAll({ config, rules: only("debt-is-due", config), charts, factsFor: () => ({ readings: [] }) });
  }

  it("says nothing while the condition has not come true, and counts the debt as judged", () => {
    const checked = check(byImage, { timeout: "30" });
    expect(said(checked)).toEqual([]);
    expect(judged(checked)).toBe(1);
  });

  it.each(["2.4.0-ci.10", "2.4.0", "3.0.1-ci.2"])("names field, value, condition and tag once the image is %s", (tag) => {
    const checked = check(byImage, { timeout: "30", tag });
    expect(said(checked)).toEqual([
      `error startupProbe.timeoutSeconds of "app" in Deployment/web is 30, to be paid back to 5: the debt is due, it was allowed until the image is >=2.4.0-ci.10 and the tag is ${tag}`,
    ]);
    const [finding] = checked.findings;
    expect(finding?.field).toBe("spec.template.spec.containers[app].startupProbe.timeoutSeconds");
    expect(finding?.fix).toEqual({ value: 5 });
    expect(finding?.notes).toEqual([{ label: "why", text: "slow walk" }]);
  });

  it.each([
    ["an older pre-release", { timeout: "30", tag: "2.4.0-ci.9" }],
    ["paid back", { timeout: "5", tag: "2.4.0" }],
    ["paid back and more", { timeout: "2", tag: "2.4.0" }],
    ["back at Kubernetes' default", { tag: "2.4.0" }],
    ["somebody else's", { timeout: "60", tag: "2.4.0", kind: "StatefulSet" }],
  ])("is silent: %s", (_, given) => {
    expect(said(check(byImage, given))).toEqual([]);
  });

  it("finds a value one above what it pays back to", () => {
    expect(said(check(byImage, { timeout: "6", tag: "2.4.0" }))).toHaveLength(1);
  });

  it("finds a value above what is allowed, due or not", () => {
    const message = (until: string) =>
      `error startupProbe.timeoutSeconds of "app" in Deployment/web is 31, more than the 30 that the debt allows until ${until}, to be paid back to 5`;
    expect(said(check(byImage, { timeout: "31" }))).toEqual([message("the image is >=2.4.0-ci.10")]);
    expect(said(check(byDate, { timeout: "31" }))).toEqual([message("2026-12-31 is over")]);
    expect(said(check(byBoth, { timeout: "31" }))).toEqual([message("the image is >=2.4.0 or 2026-12-31 is over")]);
  });

  it("does not judge a tag that is no version, but still what is allowed", () => {
    const checked = check(byImage, { timeout: "30", tag: "latest" });
    expect(said(checked)).toEqual([]);
    expect(judged(checked)).toBe(0);
    expect(said(check(byImage, { timeout: "31", tag: "latest" }))).toHaveLength(1);
  });

  it("is due the day after its date", () => {
    expect(said(check(byDate, { timeout: "30", today: "2026-12-31" }))).toEqual([]);
    expect(said(check(byDate, { timeout: "30", today: "2027-01-01" }))).toEqual([
      'error startupProbe.timeoutSeconds of "app" in Deployment/web is 30, to be paid back to 5: the debt is due, it was allowed until 2026-12-31',
    ]);
  });

  it("speaks of a field of the object, without payBackTo", () => {
    const debts =
      "debts: [{ of: Deployment/web, field: spec.progressDeadlineSeconds, allow: 20m, because: slow pulls, until: { date: 2026-01-01 } }]";
    const checked = check(debts);
    expect(said(checked)).toEqual([
      "error spec.progressDeadlineSeconds of Deployment/web is 900: the debt is due, it was allowed until 2026-01-01",
    ]);
    expect(checked.findings[0]?.hint).toBe("bring it back and remove the debt");
  });
});

function stateOf(state: Partial<RunState>): RunState {
  return {
    waivers: [],
    commentFaults: [],
    stale: [],
    coverage: [],
    environments: [],
    rules: rules.map(({ id }) => id),
    whole: true,
    part: false,
    today,
    ...state,
  };
}

describe("baseline-is-current", () => {
  it("names an entry that stands for nothing any more, where the baseline writes it", () => {
    const origin = { file: "/repo/base.json", line: 4, column: 1 };
    const stale = [{ rule: "timeout-within-period", subject: "Deployment/web", field: "spec.x", environments: ["prod"], origin }];
    const checked = checkRun({ config: configOf("{}"), rules: only("baseline-is-current", configOf("{}")), state: stateOf({ stale }) });
    expect(said(checked)).toEqual([
      'error the baseline accepts "timeout-within-period" of Deployment/web spec.x, which is no longer found in prod',
    ]);
    expect(checked.findings[0]?.origin).toEqual(origin);
  });

  it("is silent and judges nothing without one", () => {
    expect(judged(checkRun({ config: configOf("{}"), rules: only("baseline-is-current", configOf("{}")), state: stateOf({}) }))).toBe(0);
  });
});

describe("waiver-in-use", () => {
  const rest = "of: Deployment/web, in: [prod, stage], because: known";

  function check(waiver: string, matched: number, state: Partial<RunState> = {}): Checked {
    const config = configOf(`waivers:\n- { rule: timeout-within-period, ${waiver} }`);
    const waivers = config.waivers.map((entry) => ({ waiver: entry, matched }));
    return checkRun({ config, rules: only("waiver-in-use", config), state: stateOf({ waivers, ...state }) });
  }

  it("names one that covers nothing, where the config writes it", () => {
    const checked = check(rest, 0);
    expect(said(checked)).toEqual(['warning the waiver of "timeout-within-period" of Deployment/web in prod, stage covers nothing']);
    expect(checked.findings[0]?.origin).toMatchObject({ file: "/repo/helm-invariants.yaml", line: 3 });
    expect(checked.findings[0]?.subject).toBe("config");
  });

  it("is silent about one that covers something", () => {
    const checked = check(rest, 2);
    expect(said(checked)).toEqual([]);
    expect(judged(checked)).toBe(1);
  });

  it.each([
    ["--env or --only left something out", { whole: false }],
    ["the rule was not on", { rules: ["timeout-covers-latency"] }],
  ])("cannot tell when %s", (_, state) => {
    const checked = check(rest, 0, state);
    expect(said(checked)).toEqual([]);
    expect(judged(checked)).toBe(0);
  });

  it("holds on its last day and has expired on the next", () => {
    expect(said(check("because: known, until: 2026-06-15", 1))).toEqual([]);
    expect(said(check("because: known, until: 2026-06-14", 1))).toEqual([
      'warning the waiver of "timeout-within-period" expired: 2026-06-14 was its last day, what it covered is open again',
    ]);
  });

  it("says once that one has expired and covers nothing", () => {
    const expired = 'warning the waiver of "timeout-within-period" expired: 2026-06-14 was its last day';
    expect(said(check("because: known, until: 2026-06-14", 0))).toEqual([`${expired}, and nothing is left that it would cover`]);
    expect(said(check("because: known, until: 2026-06-14", 0, { whole: false }))).toEqual([expired]);
  });
});

describe("refusal-holds", () => {
  function check(refusal: Partial<RefusalOutcome>): Checked {
    const config = configOf("{}");
    const outcome = {
      name: "no-host",
      because: "names no external  database host",
      rendered: false,
      message: "",
      said: refusal.message ?? "",
      ...refusal,
    };
    const charts = [{ path: "/repo/chart", environments: [], refusals: [outcome] }];
    return checkAll({ config, rules: only("refusal-holds", config), charts, factsFor: () => ({ readings: [] }) });
  }

  it.each([
    "execution error at (web/templates/secrets.yaml:12:4): 'web' names no external database host",
    "web/templates/secrets.yaml:12:4\n  executing ...:\n    'web' names no\n      external database host\n",
  ])("holds whatever the white space: %j", (message) => {
    const checked = check({ message });
    expect(said(checked)).toEqual([]);
    expect(judged(checked)).toBe(1);
  });

  it("compares with all that helm said, not only with what is shown", () => {
    expect(said(check({ message: "names no host", said: "names no host: 'web' names no external database host" }))).toEqual([]);
  });

  it("is an error when the values render", () => {
    const checked = check({ rendered: true, origin: { file: "/repo/helm-invariants.yaml", line: 9, column: 5 } });
    expect(said(checked)).toEqual([
      'error values that must be refused do render: refusal "no-host" expects that helm fails with "names no external database host"',
    ]);
    expect(checked.findings[0]?.origin).toEqual({ file: "/repo/helm-invariants.yaml", line: 9, column: 5 });
  });

  it("is an error when they are refused for another reason, and quotes helm", () => {
    expect(said(check({ message: "values don't meet the specifications\n  of the schema" }))).toEqual([
      `error refusal "no-host" is refused for another reason: helm says "values don't meet the specifications of the schema", expected "names no external database host"`,
    ]);
  });

  it("cuts what helm says", () => {
    expect(said(check({ message: "x".repeat(5000) }))[0]).toMatch(/helm says "x{400}…", expected/);
  });

  it("judges nothing without refusals", () => {
    const config = configOf("{}");
    const charts = [{ path: "/repo/chart", environments: [environmentOf("")], refusals: [] }];
    expect(judged(checkAll({ config, rules: only("refusal-holds", config), charts, factsFor: () => ({ readings: [] }) }))).toBe(0);
  });
});

describe("judged-nothing", () => {
  const gate = "gate-read-by-readiness";
  const mustJudge = configOf(`mustJudge: [${gate}]`);

  function entry(environment: string, judged: number, missingFacts: readonly string[] = []): Coverage {
    return { rule: gate, environment, subjects: 2, judged, missingFacts };
  }

  function check(config: Config, state: Partial<RunState>): readonly string[] {
    const checked = checkRun({ config, rules: only("judged-nothing", config), state: stateOf(state) });
    expect(checked.findings).toEqual([]);
    for (const failure of checked.failures) expect(failure).toMatchObject({ stage: "judge", rule: "judged-nothing" });
    return checked.failures.map(({ message }) => message);
  }

  it("is content with one judged subject in one environment", () => {
    expect(check(mustJudge, { coverage: [entry("prod", 0, ["gates"]), entry("stage", 1)] })).toEqual([]);
  });

  it("says how many subjects were seen, and which facts were missing", () => {
    expect(check(mustJudge, { coverage: [entry("prod", 0, ["gates"]), entry("stage", 0, ["endpoints", "gates"])] })).toEqual([
      `"${gate}" must judge something, and judged nothing: it looked at 4 subjects in 2 environments, and lacks the facts endpoints and gates`,
    ]);
    expect(check(mustJudge, { coverage: [{ ...entry("prod", 0), subjects: 1 }] })).toEqual([
      `"${gate}" must judge something, and judged nothing: it looked at 1 subject in 1 environment`,
    ]);
  });

  it("points at the entry of the config", () => {
    const checked = checkRun({ config: mustJudge, rules: only("judged-nothing", mustJudge), state: stateOf({}) });
    expect(checked.failures.map(({ location }) => location)).toMatchObject([{ file: "/repo/helm-invariants.yaml", line: 2 }]);
  });

  it("does not miss a rule that --only left out, but one that is off", () => {
    expect(check(mustJudge, { rules: ["timeout-within-period"], whole: false })).toEqual([]);
    expect(check(mustJudge, { rules: ["timeout-within-period"] })).toEqual([
      `"${gate}" must judge something, and judged nothing: it is not on`,
    ]);
    expect(check(mustJudge, { whole: false, coverage: [entry("prod", 0)] })).toHaveLength(1);
    expect(check(mustJudge, { whole: false, part: true, coverage: [entry("prod", 0)] })).toEqual([]);
  });

  it("names each environment that rendered no object", () => {
    const environments = [
      { name: "prod", objects: 0 },
      { name: "stage", objects: 1 },
      { name: "test", objects: 0 },
    ];
    expect(check(configOf("{}"), { environments })).toEqual([
      'environment "prod" rendered no object',
      'environment "test" rendered no object',
    ]);
  });
});
