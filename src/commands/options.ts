import { isCalendarDate } from "../calendar.js";
import { UsageError } from "../errors.js";
import { parseDuration } from "../model/duration.js";
import { parseQuantity } from "../model/quantity.js";
import type { RunOptions } from "../run.js";
import type { CheckFlags } from "./check.js";

/** What the run needs of the flags that all rendering commands share. Throws UsageError for a value that does not parse. */
export function runOptions(target: string | undefined, flags: CheckFlags): RunOptions {
  const timeout = parseDuration(flags.timeout);
  if (timeout === undefined || timeout <= 0) throw new UsageError(`--timeout is "${flags.timeout}", expected a duration such as 60s`);
  const maxOutput = parseQuantity(flags.maxOutput);
  if (maxOutput === undefined || maxOutput < 1) throw new UsageError(`--max-output is "${flags.maxOutput}", expected a size such as 64Mi`);
  if (flags.today !== undefined && !isCalendarDate(flags.today))
    throw new UsageError(`--today is "${flags.today}", expected a date such as 2027-03-31`);
  // As a helm plugin, helm keeps -n to itself and hands it over in the environment.
  const namespace = flags.namespace ?? (process.env["HELM_PLUGIN_DIR"] === undefined ? undefined : process.env["HELM_NAMESPACE"]);
  const sets = [
    ...(flags.setJson ?? []).map((expression) => ({ flag: "--set-json", expression }) as const),
    ...(flags.set ?? []).map((expression) => ({ flag: "--set", expression }) as const),
    ...(flags.setString ?? []).map((expression) => ({ flag: "--set-string", expression }) as const),
    ...(flags.setFile ?? []).map((expression) => ({ flag: "--set-file", expression }) as const),
  ];
  return {
    ...(target !== undefined && { target }),
    ...(flags.config !== undefined && { config: flags.config }),
    values: flags.values ?? [],
    sets,
    ...(namespace !== undefined && { namespace }),
    ...(flags.release !== undefined && { release: flags.release }),
    ...(flags.kubeVersion !== undefined && { kubeVersion: flags.kubeVersion }),
    apiVersions: flags.apiVersions ?? [],
    environments: flags.env ?? [],
    only: flags.only ?? [],
    deep: flags.deep === true,
    ...(flags.helm !== undefined && { helm: flags.helm }),
    timeoutSeconds: timeout,
    maxOutput,
    today: flags.today ?? new Date().toISOString().slice(0, 10),
    ...(flags.root !== undefined && { root: flags.root }),
    trace: flags.trace !== false,
  };
}
