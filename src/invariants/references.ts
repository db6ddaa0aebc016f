import type { ASTNode } from "@marcbachmann/cel-js";
import { type RecordName, recordFields, variables } from "./variables.js";

/** A variable that an expression reads, with the fields that it names literally: `object.spec.replicas`, `env["X"]`, `containers[0].image`. */
export interface Reference {
  /** As written, without the marks of optional access. */
  readonly text: string;
  readonly root: string;
  readonly path: readonly (string | number)[];
  /** Offsets in the expression: of the whole, and of each step of the path. */
  readonly start: number;
  readonly steps: readonly number[];
}

/** What an expression reads: variables by longest literal path, and the kinds that it asks `objects()` for. */
export interface Reads {
  readonly references: readonly Reference[];
  readonly kinds: readonly { readonly kind: string; readonly start: number }[];
}

const comprehensions = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Finds what a parsed expression reads. Names that a macro binds are no variables. */
export function readsOf(ast: ASTNode): Reads {
  const references: Reference[] = [];
  const kinds: { kind: string; start: number }[] = [];
  visit(ast, new Set());
  return { references, kinds };

  function visit(node: ASTNode, bound: ReadonlySet<string>): void {
    const chain = chainOf(node);
    if (chain !== undefined && !bound.has(chain.root)) {
      if (Object.hasOwn(variables, chain.root)) references.push(chain);
      return;
    }
    if (node.op === "rcall" || node.op === "call") visitCall(node, bound);
    if (node.op === "in") noteMembership(node, bound);
    for (const child of childrenOf(node)) visit(child, bound);
  }

  function visitCall(node: ASTNode & { op: "call" | "rcall" }, bound: ReadonlySet<string>): void {
    const [name] = node.args;
    const receiver = node.op === "rcall" ? node.args[1] : undefined;
    const args = node.op === "rcall" ? node.args[2] : node.args[1];
    const [first, ...rest] = args;
    if (name === "objects" && first?.op === "value" && typeof first.args === "string") kinds.push({ kind: first.args, start: first.start });
    const isBind = name === "bind" && receiver?.op === "id" && receiver.args === "cel";
    if (first?.op === "id" && rest.length > 0 && (comprehensions.has(name) || isBind)) {
      const inner = new Set([...bound, first.args]);
      if (receiver !== undefined && !isBind) visit(receiver, bound);
      for (const [index, part] of rest.entries()) visit(part, isBind && index === 0 ? bound : inner);
      return;
    }
    if (receiver !== undefined) visit(receiver, bound);
    for (const part of args) visit(part, bound);
  }

  /** `"X" in env` reads the variable X. */
  function noteMembership(node: ASTNode & { op: "in" }, bound: ReadonlySet<string>): void {
    const [key, map] = node.args;
    if (key.op !== "value" || typeof key.args !== "string" || map.op !== "id" || map.args !== "env" || bound.has("env")) return;
    references.push({ text: `env[${JSON.stringify(key.args)}]`, root: "env", path: [key.args], start: node.start, steps: [key.start] });
  }
}

/** The first field along a reference that a record does not have, with the fields that it has. */
export function unknownField({
  root,
  path,
  steps,
}: Reference): { field: string; of: string; offset: number; known: readonly string[] } | undefined {
  let type: string | undefined = variables[root]?.type;
  let of = root;
  for (const [index, step] of path.entries()) {
    if (type === undefined || !Object.hasOwn(recordFields, type)) return undefined;
    const fields: Readonly<Record<string, string>> = recordFields[type as RecordName];
    if (!Object.hasOwn(fields, step)) return { field: String(step), of, offset: steps[index] ?? 0, known: Object.keys(fields) };
    type = fields[step];
    of += `.${step}`;
  }
  return undefined;
}

function chainOf(node: ASTNode): Reference | undefined {
  const path: (string | number)[] = [];
  const steps: number[] = [];
  let current = node;
  while (current.op !== "id") {
    if (current.op === "." || current.op === ".?") {
      path.unshift(current.args[1]);
      steps.unshift(current.pos);
      current = current.args[0];
      continue;
    }
    if (current.op !== "[]" && current.op !== "[?]") return undefined;
    const [left, index] = current.args;
    if (index.op !== "value" || (typeof index.args !== "string" && typeof index.args !== "bigint")) return undefined;
    path.unshift(typeof index.args === "bigint" ? Number(index.args) : index.args);
    steps.unshift(index.start);
    current = left;
  }
  const root = current.args;
  const text = path.reduce<string>((before, step) => before + (isPlain(step, root) ? `.${step}` : `[${JSON.stringify(step)}]`), root);
  return { text, root, path, start: node.start, steps };
}

/** Variables are written in brackets, as their names are data. */
function isPlain(step: string | number, root: string): boolean {
  return typeof step === "string" && /^[A-Za-z_]\w*$/.test(step) && step !== "in" && root !== "env";
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
    case "call":
    case "rcall":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}
