import { asDeclared, defineRule, formatBytes, heapsOf } from "../src/api.js";

export default defineRule({
  id: "heap-fits-limit",
  summary: "The heap that a runtime is allowed, and what it needs beside it, fit into the memory limit",
  scope: "container",
  severity: "warning",
  category: "shutdown",
  facts: ["heapOverhead"],
  *check(container, { facts, judged, ask }) {
    const limit = container.limits["memory"];
    const heaps = limit === undefined ? [] : heapsOf(container);
    if (limit === undefined || heaps.length === 0) return;
    judged();
    if (facts.heapOverhead === undefined) ask("heapOverhead");
    const overhead = facts.heapOverhead ?? 0;
    for (const { bytes, share, of, option, source, at } of heaps) {
      const heap = bytes ?? (share ?? 0) * limit;
      const most = heap + overhead;
      if (most <= limit) continue;
      const sum = overhead === 0 ? formatBytes(heap) : `${formatBytes(heap)} + ${formatBytes(overhead)} beside it = ${formatBytes(most)}`;
      yield {
        at,
        message: `${of} of "${container.name}" may grow to ${sum} (${option} in ${source}), its memory limit is ${formatBytes(limit)}: the kernel kills the container before the runtime sees a full heap`,
        hint: "lower the heap, or raise the memory limit above the heap and everything beside it: threads, metaspace, buffers",
        because: [
          { term: "memory limit", value: formatBytes(limit), at: container.at.key("resources", "limits", "memory") },
          ...(overhead === 0 ? [] : [asDeclared({ term: "heapOverhead", value: formatBytes(overhead) }, facts, "heapOverhead")]),
        ],
        ...(facts.heapOverhead === undefined ? { ask: ["heapOverhead"] } : {}),
      };
    }
  },
});
