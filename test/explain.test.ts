import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { main } from "../src/cli.js";

const memex = join(import.meta.dirname, "..", "fixtures", "charts", "memex");
const config = join(memex, "helm-invariants.yaml");
const deployment = "Deployment/memex-portal-deployment";

afterEach(() => vi.restoreAllMocks());

async function explain(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
  const code = await main(["node", "helm-invariants", "explain", ...args, "--root", memex]);
  return { code, out, err };
}

describe("explain", () => {
  it("shows value, template line, what moves the field and what does not", async () => {
    const { code, out } = await explain("--config", config, deployment, "spec.progressDeadlineSeconds", "--env", "deadline-without-bake");
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "11400   = written by  templates/portal/deployment.yaml:18",
        "moved by",
        "  probes.rollGate.bakeSeconds       0      envs/deadline-without-bake.yaml:4   overrides 1800 (values.yaml:56)",
        "  probes.startup.periodSeconds      10     values.yaml:31",
        "  probes.startup.failureThreshold   1080   values.yaml:32",
        "not moved by",
        "  probes.startup.path, probes.startup.timeoutSeconds",
        "",
      ].join("\n"),
    );
  });

  it("takes the chart of the config with --env, a suffix of the field, and gives JSON", async () => {
    const { code, out } = await explain(
      memex,
      deployment,
      "startupProbe.timeoutSeconds",
      "--config",
      config,
      "--env",
      "wall",
      "--format",
      "json",
    );
    expect(code).toBe(0);
    const { explanations } = JSON.parse(out);
    expect(explanations).toMatchObject([
      {
        environment: "wall",
        field: "spec.template.spec.containers[memex-portal].startupProbe.timeoutSeconds",
        value: 5,
        template: { file: "templates/portal/deployment.yaml", line: 90, exact: true },
        movedBy: [
          {
            path: "probes.startup.timeoutSeconds",
            value: 5,
            how: "copy",
            file: "envs/wall.yaml",
            line: 5,
            overrides: [{ value: 5, file: "values.yaml", line: 35 }],
          },
        ],
      },
    ]);
  });

  it("names the flag that sets a value, and the line of the config when it stands there", async () => {
    const { out } = await explain(memex, deployment, "spec.replicas", "--set", "replicas=3");
    expect(out).toContain("replicas   3   --set replicas   overrides 1 (values.yaml:13)");
  });

  it("explains all probes, the strategy and the environment without a field", async () => {
    const { out } = await explain(memex, deployment, "-f", join(memex, "envs/shadowed-gate.yaml"));
    expect(out).toContain("startupProbe.failureThreshold\n1080");
    expect(out).toContain("spec.strategy.rollingUpdate.maxSurge\n1");
    expect(out).toContain('env[PreWarm__GateReadiness].value\n"false"');
  });

  it.each([
    [["Deployment/memex-portal", "spec.replicas"], 'did you mean "Deployment/memex-portal-deployment"?'],
    [[deployment, "startupProbe.periodSecond"], 'startupProbe.periodSeconds"?'],
    [[deployment, "periodSeconds"], "expected one of them"],
    [["nonsense"], "is no object, expected Kind/name"],
    [[deployment, "spec.replicas", "more"], "too many words"],
  ])("%j says what is wrong", async (words, message) => {
    const { code, err } = await explain(memex, ...words);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
