import type { Place } from "../manifest/place.js";
import { asName, dig, mappingsOf } from "./read.js";
import type { Autoscaler } from "./types.js";

/** A metric that compares usage with requests: it needs one in each container of the pod, or in `container` alone. */
export interface UtilizationMetric {
  readonly resource: string;
  readonly container: string | undefined;
  readonly at: Place;
}

/** The metrics of an autoscaler that are a share of requests; an HPA without any metric takes CPU at 80% (item 102). Absolute targets need no request. */
export function utilizationMetrics(scaler: Autoscaler): readonly UtilizationMetric[] {
  const spec = dig(scaler.manifest.body, "spec");
  const at = scaler.at.key("spec");
  if (scaler.kind === "ScaledObject") return mappingsOf(dig(spec, "triggers")).flatMap(({ body, index }) => ofTrigger(body, index));
  if (scaler.manifest.apiVersion === "autoscaling/v1") {
    // The annotation in which v1 keeps the metrics that it has no field for.
    if (
      dig(spec, "targetCPUUtilizationPercentage") === undefined &&
      "autoscaling.alpha.kubernetes.io/metrics" in scaler.manifest.annotations
    )
      return [];
    return [{ resource: "cpu", container: undefined, at: at.key("targetCPUUtilizationPercentage") }];
  }
  const metrics = mappingsOf(dig(spec, "metrics"));
  if (metrics.length === 0) return [{ resource: "cpu", container: undefined, at: at.key("metrics") }];
  return metrics.flatMap(({ body, index }) => {
    const field = body["type"] === "ContainerResource" ? "containerResource" : "resource";
    const resource = asName(dig(body, field, "name"));
    if ((body["type"] !== "Resource" && body["type"] !== "ContainerResource") || resource === undefined) return [];
    // v2beta1 writes targetAverageUtilization beside the name.
    const target = dig(body, field, "target");
    const isShare =
      dig(target, "type") === "Utilization" ||
      typeof dig(target, "averageUtilization") === "number" ||
      typeof dig(body, field, "targetAverageUtilization") === "number";
    if (!isShare) return [];
    const container = field === "containerResource" ? asName(dig(body, field, "container")) : undefined;
    return [{ resource, container, at: at.key("metrics").item(index).key(field, "name") }];
  });

  function ofTrigger(body: unknown, index: number): readonly UtilizationMetric[] {
    const type = dig(body, "type");
    if (type !== "cpu" && type !== "memory") return [];
    const measure = asName(dig(body, "metricType")) ?? asName(dig(body, "metadata", "type"));
    if (measure !== "Utilization") return [];
    const container = asName(dig(body, "metadata", "containerName"));
    return [{ resource: type, container, at: at.key("triggers").item(index, type).key("type") }];
  }
}
