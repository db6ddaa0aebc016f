import type { RenderJob } from "../plan.js";

/** Nobody but root can make it, so no plugin, repository or credential is found in it. */
export const nowhere = process.platform === "win32" ? "C:\\nonexistent\\helm-invariants" : "/nonexistent/helm-invariants";

/** A proxy that refuses at once: a schema that refers to another machine fails instead of being fetched. */
export const deadProxy = "127.0.0.1:0";

const kept = [
  "PATH",
  "Path",
  "HOME",
  "USERPROFILE",
  "TMPDIR",
  "TEMP",
  "TMP",
  "LANG",
  "LC_ALL",
  "SYSTEMROOT",
  "SystemRoot",
  "PATHEXT",
  "LD_LIBRARY_PATH",
];

/** Arguments of `helm` that render a job. */
export function templateArguments(job: RenderJob): readonly string[] {
  return [
    "template",
    "--namespace",
    job.namespace,
    ...(job.kubeVersion === undefined ? [] : ["--kube-version", job.kubeVersion]),
    ...job.apiVersions.flatMap((version) => ["--api-versions", version]),
    ...job.values.flatMap((file) => ["--values", listItem(file)]),
    ...job.sets.flatMap(({ flag, expression }) => [flag, expression]),
    "--",
    job.release,
    job.chart,
  ];
}

/** The whole environment of the child: nothing of helm's, kubectl's or the proxy's own, so that a render depends on its job alone. */
export function helmEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const passed = kept.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    HELM_CACHE_HOME: nowhere,
    HELM_CONFIG_HOME: nowhere,
    HELM_DATA_HOME: nowhere,
    HELM_NO_PLUGINS: "1",
    KUBECONFIG: nowhere,
    NO_COLOR: "1",
    // Collects garbage less often: a fifth to a quarter of a render's time, for some megabytes more.
    GOGC: env["GOGC"] ?? "400",
    HTTP_PROXY: `http://${deadProxy}`,
    HTTPS_PROXY: `http://${deadProxy}`,
    ALL_PROXY: `http://${deadProxy}`,
    NO_PROXY: "",
  };
}

/** helm reads `--values` as a line of CSV: a comma or quote in a file's name must be quoted. */
function listItem(file: string): string {
  return /[",\r\n]|^\s|\s$/.test(file) ? `"${file.replaceAll('"', '""')}"` : file;
}
