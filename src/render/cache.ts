import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { homedir, tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { HelmError } from "../errors.js";

/** A program inside of a zip file. */
export interface PackedProgram {
  /** Folder name in the cache: unique to the content (name and version). */
  readonly name: string;
  /** Absolute path of the zip file. */
  readonly archive: string;
  /** Path inside of the archive. */
  readonly entry: string;
}

const unpacking = new Map<string, Promise<string>>();

/** Absolute path of the unpacked program: from the cache, else unpacked into it. Throws HelmError when no folder can be written. */
export function unpackProgram(program: PackedProgram, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folders = cacheFolders(env);
  const key = [program.name, program.archive, ...folders].join("\n");
  const known = unpacking.get(key);
  if (known !== undefined) return known;
  const started = unpack(program, folders).finally(() => unpacking.delete(key));
  unpacking.set(key, started);
  return started;
}

/** Folders that may hold unpacked programs, best first. */
export function cacheFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const { XDG_CACHE_HOME: declared } = env;
  const home = env["HOME"] || homedir();
  const first = declared !== undefined && isAbsolute(declared) ? declared : join(home, ".cache");
  // the temporary folder is everybody's: a folder of one's own in it, and `isOurs` looks at whose it is
  return [join(first, "helm-invariants"), join(tmpdir(), `helm-invariants-${process.getuid?.() ?? userInfo().username}`)];
}

async function unpack(program: PackedProgram, folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const found = await findUnpacked(folder, program.name);
    if (found !== undefined) return found;
  }
  const content = await readEntry(program);
  const reasons: string[] = [];
  for (const folder of folders) {
    try {
      return await store(folder, program.name, content);
    } catch (error) {
      reasons.push(`${folder} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`);
    }
  }
  throw new HelmError(`the bundled helm cannot be unpacked: no folder can be written: ${reasons.join(", ")}; set XDG_CACHE_HOME`);
}

/** The file's name carries its size, so that a damaged one is seen without opening the archive. */
async function findUnpacked(folder: string, name: string): Promise<string | undefined> {
  if (!(await isOurs(folder))) return undefined;
  const names = await readdir(join(folder, name)).catch(() => []);
  for (const file of names.sort()) {
    const size = /^helm\.(\d+)$/.exec(file)?.[1];
    if (size === undefined) continue;
    const path = join(folder, name, file);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && found.size === Number(size) && (found.mode & 0o111) !== 0) return path;
  }
  return undefined;
}

async function store(folder: string, name: string, content: Uint8Array): Promise<string> {
  await makeFolder(folder);
  if (!(await isOurs(folder))) throw new Error("belongs to somebody else");
  await makeFolder(join(folder, name));
  const target = join(folder, name, `helm.${content.length}`);
  const temporary = `${target}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o700);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    const { size } = await stat(temporary);
    if (size !== content.length) throw new Error(`${size} of ${content.length} bytes written`);
    await chmod(temporary, 0o755);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return target;
}

/** Step by step: Node's own recursive mkdir goes round for ever below /proc. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

async function readEntry({ archive, entry }: PackedProgram): Promise<Uint8Array> {
  const { unzipSync } = await import("fflate");
  let declared = -1;
  const files = unzipSync(await readFile(archive), {
    filter: (file) => {
      if (file.name !== entry) return false;
      declared = file.originalSize;
      return true;
    },
  });
  const content = files[entry];
  if (content === undefined || content.length === 0 || content.length !== declared) {
    throw new HelmError(`the bundled helm is damaged: "${entry}" in ${archive} has ${content?.length ?? 0} bytes, expected ${declared}`);
  }
  return content;
}

/** What is run from a folder must not be writable for others. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return false;
  if (process.getuid === undefined) return true;
  return (found.uid === process.getuid() || found.uid === 0) && (found.mode & 0o022) === 0;
}
