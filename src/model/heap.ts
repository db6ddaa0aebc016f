import type { Place } from "../manifest/place.js";
import { parseReferences } from "./reference.js";
import type { Container } from "./types.js";

/** How far a runtime lets its heap grow: bytes, or a share of the container's memory limit (0 to 1). */
export interface Heap {
  readonly bytes?: number;
  readonly share?: number;
  /** What grows: `the Java heap`, `the memory of Go`, `the Node.js heap`. */
  readonly of: string;
  /** As written: `-Xmx2g`. */
  readonly option: string;
  /** `JAVA_OPTS`, `args`. */
  readonly source: string;
  readonly at: Place;
}

/** A text that the runtime reads its options from. */
interface Source {
  readonly name: string;
  readonly text: string;
  readonly at: Place;
}

/** Later ones win: what the JVM reads by itself before and after its command line. */
const order = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "", "_JAVA_OPTIONS"];

/** The heaps that a container's environment, command and arguments set; values from Secrets are not looked at. */
export function heapsOf(container: Container): readonly Heap[] {
  const variables = variablesOf(container);
  const words = [...wordsOf(container, "command"), ...wordsOf(container, "args")];
  const java = [...variables, ...words].flatMap(javaHeap);
  const node = [...words, ...variables.filter(({ name }) => name === "NODE_OPTIONS")].flatMap(nodeHeap);
  const go = variables.flatMap(goLimit);
  return [...effective(java), ...node.slice(0, 1), ...go];
}

/** Of several the one that the JVM obeys; where that depends on a start script, the smallest of them. */
function effective(heaps: readonly Heap[]): readonly Heap[] {
  const rank = ({ source }: Heap) => (order.includes(source) ? order.indexOf(source) : order.indexOf(""));
  // MaxRAMPercentage counts only for a JVM that is told no size.
  const sized = heaps.filter(({ bytes }) => bytes !== undefined);
  const able = sized.length > 0 ? sized : heaps;
  const highest = Math.max(...able.map(rank));
  const size = ({ bytes, share }: Heap) => bytes ?? share ?? 0;
  return able
    .filter((heap) => rank(heap) === highest)
    .sort((a, b) => size(a) - size(b))
    .slice(0, 1);
}

const javaUnits: Readonly<Record<string, number>> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

function javaHeap(source: Source): readonly Heap[] {
  const { text } = source;
  const common = { of: "the Java heap", source: source.name, at: source.at };
  // The last of a command line wins.
  const size = [...text.matchAll(/(?<![\w-])-(?:Xmx|XX:MaxHeapSize=)(\d+)([kKmMgGtT]?)(?!\w)/g)].at(-1);
  if (size !== undefined) return [{ ...common, bytes: Number(size[1]) * (javaUnits[(size[2] ?? "").toLowerCase()] ?? 1), option: size[0] }];
  if (/-XX:MaxRAM=/.test(text)) return [];
  const share = [...text.matchAll(/(?<![\w-])-XX:MaxRAMPercentage=(\d+(?:\.\d+)?)/g)].at(-1);
  return share === undefined ? [] : [{ ...common, share: Number(share[1]) / 100, option: share[0] }];
}

function nodeHeap({ name, text, at }: Source): readonly Heap[] {
  const size = [...text.matchAll(/(?<![\w-])--max[-_]old[-_]space[-_]size[= ](\d+)(?!\w)/g)].at(-1);
  if (size === undefined) return [];
  return [{ of: "the Node.js heap", bytes: Number(size[1]) * 2 ** 20, option: size[0], source: name, at }];
}

const goUnits: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

function goLimit({ name, text, at }: Source): readonly Heap[] {
  const size = name === "GOMEMLIMIT" ? /^(\d+)(B|KiB|MiB|GiB|TiB)?$/.exec(text) : null;
  if (size === null) return [];
  return [
    { of: "the memory of Go", bytes: Number(size[1]) * (goUnits[size[2] ?? "B"] ?? 1), option: `GOMEMLIMIT=${text}`, source: "env", at },
  ];
}

function variablesOf({ env }: Container): readonly Source[] {
  return [...new Set(env.entries.map(({ name }) => name))].flatMap((name) => {
    const answer = env.get(name);
    if (answer.state !== "known" || answer.entry.secret) return [];
    const { entry, value } = answer;
    return [{ name, text: value, at: entry.source.kind === "env" ? entry.at.key("value") : entry.at }];
  });
}

function wordsOf(container: Container, list: "command" | "args"): readonly Source[] {
  const body = container.body[list];
  if (!Array.isArray(body)) return [];
  return body.flatMap((word, index) =>
    typeof word === "string" ? [{ name: list, text: expanded(word, container), at: container.at.key(list).item(index) }] : [],
  );
}

/** A word with the `$(NAME)`s that the render tells; the others are left out. */
function expanded(word: string, { env }: Container): string {
  const value = (name: string) => {
    const answer = env.get(name);
    return answer.state === "known" && !answer.entry.secret ? answer.value : "";
  };
  return parseReferences(word)
    .map((piece) => ("text" in piece ? piece.text : value(piece.name)))
    .join("");
}
