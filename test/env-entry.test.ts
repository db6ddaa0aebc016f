import { describe, expect, it } from "vitest";
import { extendsItself, formatValues, isInline, isSameAssignment, shownPlace } from "../src/model/env-entry.js";
import type { Container, EnvEntry } from "../src/model/types.js";
import { containerOf } from "./environment.js";

const objects = `apiVersion: v1
kind: Secret
metadata: { name: s }
stringData: { PASSWORD: hunter2 }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: c }
data: { PASSWORD: public, LONG: "${"x".repeat(100)}" }
`;

function entries(fields: string): { readonly container: Container; readonly list: readonly EnvEntry[] } {
  const container = containerOf(fields, objects);
  return { container, list: container.env.entries };
}

function pair(fields: string): readonly [EnvEntry, EnvEntry] {
  const [first, second] = entries(fields).list;
  if (first === undefined || second === undefined) throw new Error("fewer than two entries");
  return [first, second];
}

describe("values of variables in messages", () => {
  it.each([
    ["env: [{name: A, value: one}, {name: A, value: two}]", '"one"', '"two"'],
    ["envFrom: [{secretRef: {name: s}}], env: [{name: PASSWORD, value: inline}]", "one value", "another"],
    ["env: [{name: A, value: inline}, {name: A, valueFrom: {secretKeyRef: {name: s, key: PASSWORD}}}]", "one value", "another"],
    ["env: [{name: P, valueFrom: {secretKeyRef: {name: s, key: PASSWORD}}}, {name: A, value: 'user:$(P)'}]", "one value", "another"],
    ["env: [{name: DB_PASSWORD, value: one}, {name: DB_PASSWORD, value: two}]", "one value", "another"],
    ["env: [{name: A, value: 'postgres://u:pw@db/x'}, {name: A, value: two}]", "one value", "another"],
    [
      "env: [{name: A, value: x}, {name: A, valueFrom: {secretKeyRef: {name: elsewhere, key: a}}}]",
      "one value",
      "a value from Secret/elsewhere",
    ],
  ])("shows nothing that a Secret holds: %s", (fields, first, second) => {
    expect(formatValues(...pair(fields))).toEqual([first, second]);
  });

  it("cuts long ones", () => {
    const [, entry] = pair("envFrom: [{configMapRef: {name: c}}]");
    const [, long] = formatValues(entry, entry);
    expect(long).toBe(`"${"x".repeat(57)}…"`);
  });

  it("names the element that reads a Secret, never the Secret's own line", () => {
    const places = (fields: string) => entries(fields).list.map((entry) => shownPlace(entry).toString());
    expect(places("envFrom: [{secretRef: {name: s}}]")).toEqual(["Deployment/web spec.template.spec.containers[app].envFrom[0]"]);
    expect(places("envFrom: [{configMapRef: {name: c}}]")[0]).toBe("ConfigMap/c data.PASSWORD");
  });
});

describe("entries of one name", () => {
  it.each([
    ["{name: A, value: one}, {name: A, value: one}", true],
    ["{name: A, value: '1'}, {name: A, value: 1}", true],
    ["{name: A, value: one}, {name: A, value: two}", false],
    ["{name: A, valueFrom: {configMapKeyRef: {name: c, key: PASSWORD}}}, {name: A, value: public}", true],
    ["{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}, {name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}", true],
    ["{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}, {name: A, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}", false],
    ["{name: A, value: one}, {name: A, valueFrom: {secretKeyRef: {name: elsewhere, key: a}}}", false],
  ])("are the same when that is certain: %s %s", (elements, same) => {
    const { container, list } = entries(`env: [${elements}]`);
    const [first, second] = list;
    expect(first !== undefined && second !== undefined && isSameAssignment(container, first, second)).toBe(same);
  });

  it("may build on the earlier one", () => {
    const { list } = entries("env: [{name: A, value: $(A):x}, {name: A, value: $$(A)}, {name: A, value: $(B)}]");
    expect(list.map(extendsItself)).toEqual([true, false, false]);
  });

  it("are of env or of envFrom", () => {
    const { container, list } = entries(
      "envFrom: [{secretRef: {name: s}}], env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: PASSWORD}}}]",
    );
    expect(list.map((entry) => isInline(container, entry))).toEqual([false, true]);
  });
});
