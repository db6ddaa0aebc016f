import type { Container, ContainerPort, Service, ServicePort } from "./types.js";

/** A port of a Service that leads to a container. */
export interface ServedPort {
  readonly service: Service;
  readonly port: ServicePort;
  /** The container's own port; undefined when it declares none and is the only one of its pod. */
  readonly target: ContainerPort | undefined;
}

/** The ports of rendered Services that lead to a container: by the name or number that it declares, or because nobody else could answer. */
export function servedPorts(container: Container): readonly ServedPort[] {
  const { services, appContainers, sidecars } = container.workload;
  const answering = [...appContainers, ...sidecars];
  return services.flatMap((service) =>
    service.ports.flatMap((port) => {
      const leadsTo = ({ name, number }: ContainerPort) => name === port.targetPort || number === port.targetPort;
      const target = container.ports.find(leadsTo);
      const alone = typeof port.targetPort === "number" && answering.length === 1 && answering[0] === container;
      return target !== undefined || alone ? [{ service, port, target }] : [];
    }),
  );
}

const metricsName = /(?:^|[-_.])(?:metrics?|prom|prometheus|telemetry|monitoring|monitor|exporter|stats)(?:$|[-_.])/;

/** Whether a port is there to be scraped, by its names: the container port's, the Service port's, else the Service's. */
export function isMetricsPort({ service, port, target }: ServedPort): boolean {
  const names = [target?.name, port.name, typeof port.targetPort === "string" ? port.targetPort : undefined];
  if (names.some((name) => name !== undefined && metricsName.test(name.toLowerCase()))) return true;
  return service.ports.length === 1 && metricsName.test(service.name.toLowerCase().slice(service.name.lastIndexOf("-") + 1));
}
