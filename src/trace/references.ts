import { anyStep, type Binding, contextOf, keyOf, stepInto, subchartOf, unique, unite, unknown, type ValuePath } from "./bindings.js";
import { type Block, blocksOf } from "./blocks.js";
import { defineIn, findDefines } from "./defines.js";
import { type Action, asInclude, type Pipe, readActions, type Term } from "./expressions.js";
import type { LiteralDefault, References } from "./line-references.js";
import { type Region, regionsAround } from "./regions.js";
import type { TemplateFile } from "./types.js";

const mostSteps = 60_000;
const deepest = 24;

/** What an action includes: already read, and still to be read. */
interface Through {
  readonly paths: Map<string, ValuePath>;
  readonly pending: Line["pending"];
}

interface Line {
  readonly direct: Map<string, ValuePath>;
  readonly through: Map<string, ValuePath>;
  /** Reads the helpers that the line includes. */
  readonly pending: (() => readonly ValuePath[])[];
}

interface Scope {
  readonly file: string;
  readonly root: Binding;
  readonly dot: Binding;
  readonly variables: Map<string, Binding>;
  readonly around: readonly ValuePath[];
  readonly depth: number;
  /** Helpers are read when a line that includes them is asked for, as most are not. */
  readonly lazy: boolean;
}

/** Reads what the given templates and everything that they include say; each entry is a template with the path of its chart's values. */
export function readReferences(
  files: readonly TemplateFile[],
  entries: readonly { readonly file: string; readonly prefix: ValuePath }[],
): References {
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  const blocks = new Map<string, readonly Block[]>();
  const defines = findDefines(files);
  const lines = new Map<string, Line>();
  const regions: Region[] = [];
  const defaults = new Map<string, LiteralDefault>();
  const included = new Map<string, readonly ValuePath[]>();
  let steps = 0;
  let noted: Map<string, ValuePath> = new Map();

  for (const { file, prefix } of entries) {
    const root = contextOf(prefix);
    walk(blocksIn(file), { file, root, dot: root, variables: new Map(), around: [], depth: 0, lazy: true });
  }
  return {
    of: (file, line, rendered) => {
      // a helper is known once it was included
      if (entries.every((entry) => entry.file !== file)) for (const entry of lines.values()) force(entry);
      const found = lines.get(`${line} ${file}`);
      if (found !== undefined) force(found);
      return {
        direct: [...(found?.direct.values() ?? [])],
        through: [...(found?.through.values() ?? [])],
        around: unique(regionsAround(regions, { file, line }, rendered).flatMap(({ paths }) => paths)),
      };
    },
    get defaults() {
      return [...defaults.values()];
    },
  };

  function force({ pending, through }: Line): void {
    for (const read of pending.splice(0)) for (const path of read()) through.set(keyOf(path), path);
  }

  /** Charts carry libraries of which they use little, so a file is read when something of it is asked for. */
  function blocksIn(file: string): readonly Block[] {
    const known = blocks.get(file) ?? blocksOf(readActions(texts.get(file) ?? ""));
    blocks.set(file, known);
    return known;
  }

  function walk(body: readonly Block[], scope: Scope): void {
    for (const block of body) {
      if (++steps > mostSteps) return;
      const { keyword } = block.action;
      if (keyword === "define") continue;
      if (keyword === "if" || keyword === "with" || keyword === "range") walkControl(block, scope);
      else {
        const value = readAction(block.action, scope);
        for (const name of block.action.sets)
          scope.variables.set(name, unite([value, ...(scope.variables.has(name) ? [scope.variables.get(name) ?? unknown] : [])]));
      }
    }
  }

  function walkControl(block: Block, scope: Scope): void {
    const conditions: ValuePath[] = [];
    for (const { action, body } of block.branches) {
      const before = noted;
      noted = new Map();
      const value = readAction(action, scope);
      conditions.push(...noted.values());
      for (const [key, path] of noted) before.set(key, path);
      noted = before;
      const range = block.action.keyword === "range";
      const element = range ? stepInto(value, anyStep) : value;
      const moves = action.keyword === "with" || range;
      const variables = new Map(scope.variables);
      action.sets.forEach((name, index) => {
        variables.set(name, range && action.sets.length === 2 && index === 0 ? unknown : element);
      });
      const isElse = action.keyword === "else" && action.pipe.every((command) => command.length === 0);
      walk(body, { ...scope, variables, dot: moves && !isElse ? element : scope.dot, around: [...scope.around, ...conditions] });
      for (const [name, binding] of variables) if (scope.variables.has(name)) scope.variables.set(name, binding);
    }
    const branches = block.branches.map(({ action }) => action.line);
    regions.push({ file: scope.file, from: block.action.endLine, to: block.endLine, branches, paths: unique(conditions) });
  }

  /** What an action prints or sets; the values that it names are entered for its lines. */
  function readAction(action: Action, scope: Scope): Binding {
    const own = new Map<string, ValuePath>();
    const through = new Map<string, ValuePath>();
    const before = noted;
    noted = own;
    const pipe: Pipe = action.keyword === "template" || action.keyword === "block" ? asInclude(action.pipe) : action.pipe;
    const pending: Line["pending"] = [];
    const lazy = scope.lazy && action.sets.length === 0;
    const value = evaluate(pipe, { ...scope, lazy }, action.line, { paths: through, pending });
    noted = before;
    for (const [key, path] of [...own, ...through]) before.set(key, path);
    for (let line = action.line; line <= Math.min(action.endLine, action.line + 50); line++) {
      const key = `${line} ${scope.file}`;
      const entry = lines.get(key) ?? emptyLine();
      entry.pending.push(...pending);
      for (const [name, path] of own) entry.direct.set(name, path);
      for (const [name, path] of through) entry.through.set(name, path);
      lines.set(key, entry);
    }
    return value;
  }

  function evaluate(pipe: Pipe, scope: Scope, line: number, through: Through): Binding {
    let previous: Binding | undefined;
    for (const command of pipe) {
      if (command.length > 0) previous = evaluateCommand(command, previous, scope, line, through);
    }
    return previous ?? unknown;
  }

  function evaluateTerm(term: Term, scope: Scope, line: number, through: Through): Binding {
    let value = unknown;
    if (term.base === "dot") value = scope.dot;
    else if (term.base === "variable") value = term.name === "$" ? scope.root : (scope.variables.get(term.name) ?? unknown);
    else if (term.base === "pipe") value = evaluate(term.pipe ?? [], scope, line, through);
    term.keys.forEach((key, index) => {
      value = term.keys[index - 1] === "Subcharts" ? subchartOf(value, key) : key === "Subcharts" ? value : stepInto(value, key);
    });
    note(value);
    return value;
  }

  function note({ paths }: Binding): void {
    for (const path of paths) if (path.length > 0) noted.set(keyOf(path), path);
  }

  function evaluateCommand(command: readonly Term[], previous: Binding | undefined, scope: Scope, line: number, through: Through): Binding {
    const [head, ...terms] = command;
    if (head === undefined) return previous ?? unknown;
    if (head.base !== "word") return evaluateTerm(head, scope, line, through);
    const given = terms.map((term) => evaluateTerm(term, scope, line, through));
    const values = previous === undefined ? given : [...given, previous];
    const last = values.at(-1) ?? unknown;
    const keysOf = (list: readonly Term[]) =>
      list.map((term) => (term.base === "text" ? (/^\d+$/.test(term.name) ? Number(term.name) : term.name) : anyStep));
    const into = (binding: Binding, keys: readonly (string | number)[]) => {
      const found = keys.reduce((value, key) => stepInto(value, key), binding);
      note(found);
      return found;
    };
    switch (head.name) {
      case "include":
        return include(terms[0]?.base === "text" ? terms[0].name : undefined, values[1] ?? unknown, scope, through);
      case "dict":
        return { ...unknown, entries: new Map(pairsOf(terms, given)) };
      case "list":
      case "tuple":
        return { ...unknown, items: unite(values) };
      case "index":
      case "get":
        return into(values[0] ?? unknown, keysOf(terms.slice(1)));
      case "dig":
        return unite([into(last, keysOf(terms.slice(0, previous === undefined ? -2 : -1))), ...values.slice(0, -1)]);
      case "hasKey":
        into(values[0] ?? unknown, keysOf(terms.slice(1)));
        return unknown;
      case "first":
      case "last":
      case "values":
        return into(last, [anyStep]);
      case "default":
        if (terms[0]?.base === "text") addDefault(terms[0].name, last, scope.file, line);
        return unite(values);
      case "keys":
      case "until":
      case "len":
        return unknown;
    }
    return unite(values);
  }

  function addDefault(literal: string, { paths }: Binding, file: string, line: number): void {
    for (const path of paths) if (!defaults.has(keyOf(path))) defaults.set(keyOf(path), { path, literal, file, line });
  }

  function include(name: string | undefined, dot: Binding, scope: Scope, through: Through): Binding {
    const file = name === undefined ? undefined : defines.get(name);
    if (name === undefined || file === undefined || scope.depth >= deepest) return unknown;
    if (scope.lazy) {
      through.pending.push(() => includePaths(name, file, dot, scope));
      return unknown;
    }
    const paths = includePaths(name, file, dot, scope);
    for (const path of paths) through.paths.set(keyOf(path), path);
    return { roots: [], paths: unique(paths) };
  }

  function includePaths(name: string, file: string, dot: Binding, scope: Scope): readonly ValuePath[] {
    const block = defineIn(blocksIn(file), name);
    if (block === undefined) return [];
    const key = `${name} ${JSON.stringify([dot.roots, dot.paths, [...(dot.entries ?? [])].map(([entry, { roots, paths }]) => [entry, roots, paths])])}`;
    let paths = included.get(key);
    if (paths === undefined) {
      included.set(key, []);
      const before = noted;
      noted = new Map();
      for (const { body } of block.branches)
        walk(body, { file, root: dot, dot, variables: new Map(), around: [], depth: scope.depth + 1, lazy: false });
      paths = [...noted.values()];
      noted = before;
      included.set(key, paths);
      if (scope.around.length > 0)
        regions.push({ file, from: block.action.line, to: block.endLine, branches: [], paths: unique(scope.around) });
    }
    return paths;
  }
}

function emptyLine(): Line {
  return { direct: new Map(), through: new Map(), pending: [] };
}

function pairsOf(terms: readonly Term[], given: readonly Binding[]): [string, Binding][] {
  const pairs: [string, Binding][] = [];
  for (let index = 0; index + 1 < terms.length; index += 2) pairs.push([terms[index]?.name ?? "", given[index + 1] ?? unknown]);
  return pairs;
}
