import { commentsNear, defineRule, formatSeconds, type Place, type Probe, reliableBudget, startupBudget } from "../src/api.js";

export default defineRule({
  id: "stated-budget-is-real",
  summary: "A comment that works out a probe's budget states the one that ships",
  scope: "container",
  severity: "note",
  category: "configuration",
  *check(container, { judged }) {
    // Most documents have no such comment: they need no look at their syntax.
    if (!/#.*\d\s{0,3}[a-z]{0,7}\s{0,3}[×x*]\s{0,3}\d/.test(container.workload.manifest.text)) return;
    for (const probe of container.probes) {
      for (const { text } of commentsNear(container.workload.manifest, probe.at.path)) {
        const stated = productIn(text);
        if (stated === undefined) continue;
        judged();
        const { failures, period } = probe;
        const seconds = stated.count * stated.each;
        if (budgetsOf(probe).some((budget) => Math.abs(budget - seconds) < 0.001)) continue;
        yield {
          at: wrongField(probe, stated),
          message: `a comment at the ${probe.role} probe of "${container.name}" says ${stated.shown} = ${formatSeconds(seconds)}, but what ships is failureThreshold ${failures} × periodSeconds ${period} = ${formatSeconds(failures * period)}`,
          hint: "correct whichever is wrong: somebody will rely on the comment",
        };
      }
    }
  },
});

interface Product {
  readonly count: number;
  /** Seconds. */
  readonly each: number;
  readonly shown: string;
}

const product =
  /(?<![\w.×*])([1-9]\d*)\s{0,3}(s|sec|seconds?|m|min|minutes?)?\s{0,3}[×x*]\s{0,3}([1-9]\d*)\s{0,3}(s|sec|seconds?|m|min|minutes?)?(?![\w.%]|\s{0,3}[×x*]\s{0,3}\d)/i;

/** The first `N × M` of a comment; one of them may carry a unit. */
function productIn(text: string): Product | undefined {
  const match = product.exec(text);
  if (match === null) return undefined;
  const [, count = "", firstUnit, each = "", secondUnit] = match;
  if (firstUnit !== undefined && secondUnit !== undefined) return undefined;
  const scale = /^m/i.test(firstUnit ?? secondUnit ?? "s") ? 60 : 1;
  const shown = `${count}${firstUnit ?? ""} × ${each}${secondUnit ?? ""}`;
  if (firstUnit === undefined) return { count: Number(count), each: Number(each) * scale, shown };
  return { count: Number(each), each: Number(count) * scale, shown };
}

/** Every number that somebody may mean by "the budget" (seconds). */
function budgetsOf(probe: Probe): readonly number[] {
  const { delay, period, timeout, failures } = probe;
  const spans = [period, timeout, period + timeout].flatMap((each) => [failures * each, (failures - 1) * each]);
  const plain = [...spans, ...spans.map((span) => delay + span)];
  return [...plain, reliableBudget(probe).seconds, startupBudget(probe).seconds, probe.successes * period];
}

/** The factor that the comment has otherwise, when the other one agrees. */
function wrongField({ at, failures, period }: Probe, { count, each }: Product): Place {
  if (each === period || count === period) return at.key("failureThreshold");
  return count === failures || each === failures ? at.key("periodSeconds") : at;
}
