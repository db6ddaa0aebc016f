import { readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

/** Files of the repository as a report needs them; every file is looked up and read once. */
export interface RepositoryFiles {
  /** The path relative to the root, links resolved, forward slashes; undefined when it leaves the repository. A missing file keeps its path. */
  path(file: string): string | undefined;
  exists(file: string): boolean;
  /** The text (byte order mark kept); undefined when there is none. */
  text(file: string): string | undefined;
  /** One line of the text (1-based), without its end. */
  line(file: string, number: number): string | undefined;
}

/** The files below `root`. */
export function repositoryFiles(root: string): RepositoryFiles {
  const texts = new Map<string, string | undefined>();
  const lines = new Map<string, readonly string[] | undefined>();
  const paths = new Map<string, { path: string | undefined; exists: boolean }>();
  const realRoot = attempt(() => realpathSync(root)) ?? root;
  const inside = (path: string) =>
    path === "" || isAbsolute(path) || path === ".." || path.startsWith(`..${sep}`) ? undefined : path.split(sep).join("/");
  const find = (file: string) => {
    const known = paths.get(file);
    if (known !== undefined) return known;
    const given = isAbsolute(file) ? file : join(realRoot, file);
    const real = attempt(() => realpathSync(given));
    const found = { path: inside(relative(realRoot, real ?? given)), exists: real !== undefined };
    paths.set(file, found);
    return found;
  };
  const text = (file: string) => {
    const { path } = find(file);
    if (path === undefined) return undefined;
    if (!texts.has(path))
      texts.set(
        path,
        attempt(() => readFileSync(join(realRoot, path), "utf8")),
      );
    return texts.get(path);
  };
  return {
    path: (file) => find(file).path,
    exists: (file) => find(file).exists && find(file).path !== undefined,
    text,
    line: (file, number) => {
      if (!lines.has(file)) lines.set(file, text(file)?.split(/\r\n|\r|\n/));
      return lines.get(file)?.[number - 1];
    },
  };
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
