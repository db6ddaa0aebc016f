import type { Place } from "../manifest/place.js";
import type { Container } from "./types.js";

/** A host that a container's command connects to, and where it is written: the command's element, or the variable that holds it. */
export interface WaitTarget {
  readonly host: string;
  readonly at: Place;
}

const hostName = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.?$/;
const address = /^\d+\.\d+\.\d+\.\d+$/;
const ownNamespace = /\$\((?:cat|<)\s*\S*\/serviceaccount\/namespace\)|`cat\s+\S*\/serviceaccount\/namespace`/g;
/** Clients that take the host with -h, --host or -a. */
const clients = /^(?:pg_isready|psql|mysql|mysqladmin|mariadb|mariadb-admin|redis-cli|valkey-cli|mongo|mongosh)$/;
const urlTools = /^(?:curl|wget|wget2)$/;
const waiters =
  /^(?:wait-for-it|wait-for-it\.sh|wait-for|wait-for\.sh|wait4x|waitforit|dockerize|wait-for-host|grpc_health_probe|grpc-health-probe)$/;

/**
 * Hosts that a container's command and args wait for: `nc -z host port`, `curl` and `wget` URLs, `pg_isready -h host` and its like,
 * `dockerize -wait tcp://host:port`, `nslookup host`, `/dev/tcp/host/port`. Variables are put in where their value is known and no secret;
 * a host that stays a variable is left out.
 */
export function waitTargets(container: Container): readonly WaitTarget[] {
  const targets = new Map<string, WaitTarget>();
  const lists = [
    ["command", container.command],
    ["args", container.args],
  ] as const;
  const argv = lists.flatMap(([key, list]) => list.map((text, index) => ({ text, at: container.at.key(key).item(index) })));
  const words = argv.flatMap(({ text, at }) => wordsOf(text, container).map((word) => ({ at, ...word })));
  for (const target of hostsIn(words)) if (!targets.has(target.host)) targets.set(target.host, target);
  return [...targets.values()];
}

interface Word {
  readonly text: string;
  readonly at: Place;
}

function wordsOf(text: string, container: Container): readonly { readonly text: string; readonly at?: Place }[] {
  const plain = text.replaceAll(ownNamespace, container.workload.namespace);
  const words = plain.match(/(?:\$\{[^}]*\}|\$\([\w.-]+\)|[^\s"';|&()<>`{}[\]])+/g) ?? [];
  return words.map((word) => expand(word, container));
}

/** Puts the values of variables in; the place is the variable's when the word has exactly one. */
function expand(word: string, container: Container): { readonly text: string; readonly at?: Place } {
  const places: Place[] = [];
  const text = word.replace(/\$\((\w+)\)|\$\{(\w+)(?::?-([^}]*))?\}|\$(\w+)/g, (whole, ...groups: (string | undefined)[]) => {
    const name = groups[0] ?? groups[1] ?? groups[3] ?? "";
    const answer = container.env.get(name);
    if (answer.state === "known" && !answer.entry.secret) {
      places.push(answer.entry.literal === undefined ? answer.entry.at : answer.entry.at.key("value"));
      return answer.value;
    }
    return answer.state === "absent" && groups[2] !== undefined ? groups[2] : whole;
  });
  const [at] = places;
  return at !== undefined && places.length === 1 ? { text, at } : { text };
}

function* hostsIn(words: readonly Word[]): Iterable<WaitTarget> {
  for (const [index, word] of words.entries()) {
    const tool = word.text.slice(word.text.lastIndexOf("/") + 1);
    const socket = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(word.text)?.[1];
    if (socket !== undefined) yield* named(socket, word);
    const rest = words.slice(index + 1, index + 17);
    if (/^(?:nc|ncat|netcat)$/.test(tool)) yield* afterFlags(rest, true);
    else if (/^(?:nslookup|getent)$/.test(tool)) yield* afterFlags(tool === "getent" ? rest.slice(1) : rest, false);
    else if (clients.test(tool)) yield* ofFlags(rest);
    else if (urlTools.test(tool) || waiters.test(tool)) yield* ofUrls(rest, waiters.test(tool));
  }
}

/** The first word that is no flag, followed by a port where one is due. */
function* afterFlags(words: readonly Word[], withPort: boolean): Iterable<WaitTarget> {
  for (const [index, word] of words.entries()) {
    if (word.text.startsWith("-")) continue;
    // The value of a flag such as `-w 2`.
    if (/^\d+$/.test(word.text) && words[index - 1]?.text.startsWith("-") === true) continue;
    const port = words.slice(index + 1).find(({ text }) => !text.startsWith("-"))?.text ?? "";
    if (!withPort || /^(?:\d+|\$.+)$/.test(port)) yield* named(word.text, word);
    return;
  }
}

function* ofFlags(words: readonly Word[]): Iterable<WaitTarget> {
  for (const [index, word] of words.entries()) {
    const joined = /^(?:--host=|-h(?=[a-z0-9]))(.+)$/.exec(word.text)?.[1];
    const next = words[index + 1];
    if (joined !== undefined) yield* named(joined, word);
    else if (/^(?:-h|--host)$/.test(word.text) && next !== undefined) yield* named(next.text, next);
    else continue;
    return;
  }
}

/** URLs; for tools that only wait also `host:port`. */
function* ofUrls(words: readonly Word[], bare: boolean): Iterable<WaitTarget> {
  for (const word of words) {
    const text = word.text.replace(/^--?[\w-]+=/, "");
    const url = /^[a-z][a-z0-9+]*:\/\/(?:[^/@\s]*@)?([^/:?#\s]+)/.exec(text)?.[1];
    const pair = bare ? /^([^/:\s]+):\d+$/.exec(text)?.[1] : undefined;
    const host = url ?? pair;
    if (host !== undefined) yield* named(host, word);
  }
}

function* named(text: string, { at }: Word): Iterable<WaitTarget> {
  const host = text.toLowerCase().replace(/\.$/, "");
  if (hostName.test(host) && !address.test(host) && !/^\d+$/.test(host)) yield { host, at };
}
