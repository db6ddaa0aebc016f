import { readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

/** Files of the repository as a report needs them; every file is looked up and read once. */
export interface RepositoryFiles {
  /** The path relative to the root, links resolved, forward slashes; undefined when it leaves the repository. A missing file keeps its path. */
  path(file: string): string | undefined;
  exists(file: string): boolean;
  /** The text (byte order mark kept); undefined when there is none. */
  text(file: string): string | undefined;
}

/** The files below `root`. */
export function repositoryFiles(root: string): RepositoryFiles {
  const texts = new Map<string, string | undefined>();
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
  return {
    path: (file) => find(file).path,
    exists: (file) => find(file).exists && find(file).path !== undefined,
    text: (file) => {
      const { path } = find(file);
      if (path === undefined) return undefined;
      if (!texts.has(path))
        texts.set(
          path,
          attempt(() => readFileSync(join(realRoot, path), "utf8")),
        );
      return texts.get(path);
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
