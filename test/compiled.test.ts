import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Ended, helmInvariants } from "./command-line.js";

const base = mkdtempSync(join(tmpdir(), "helm-invariants-compiled-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const clean = join(base, "clean.yaml");
writeFileSync(clean, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n");
const faulty = join(base, "faulty.yaml");
writeFileSync(
  faulty,
  "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - {name: a, image: a:1, env: [{name: A, value: x}, {name: A, value: y}]}\n",
);

interface Cache {
  readonly home: string;
  readonly folder: string;
  names(): readonly string[];
  check(file: string, env?: NodeJS.ProcessEnv): Promise<Ended>;
}

let caches = 0;
function newCache(): Cache {
  const home = join(base, `cache-${caches++}`);
  mkdirSync(home);
  const folder = join(home, "helm-invariants", "compiled");
  return {
    home,
    folder,
    names: () => readdirSync(folder).sort(),
    check: (file, env = {}) =>
      helmInvariants(["check", file], { env: { XDG_CACHE_HOME: home, NODE_DISABLE_COMPILE_CACHE: undefined, ...env } }),
  };
}

describe("compiled code", () => {
  it("is kept for the next run, which says the same", async () => {
    const cache = newCache();
    const first = await cache.check(clean);
    const [name = ""] = cache.names();
    expect(name).toMatch(new RegExp(`^[0-9a-f]{16}-${process.version}-${process.arch}-check$`));
    expect(statSync(join(cache.folder, name)).mode & 0o777).toBe(0o600);
    const kept = readFileSync(join(cache.folder, name));
    expect(await cache.check(clean)).toEqual(first);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(join(cache.folder, name)).equals(kept)).toBe(true);
  });

  it("of a run with findings is kept once, and used by clean runs too", async () => {
    const cache = newCache();
    expect((await cache.check(clean)).code).toBe(0);
    const first = await cache.check(faulty);
    expect(first.code).toBe(1);
    expect(cache.names()).toHaveLength(2);
    expect(cache.names()[1]).toMatch(/-check-findings$/);
    expect(await cache.check(faulty)).toEqual(first);
    expect((await cache.check(clean)).code).toBe(0);
    expect(cache.names()).toHaveLength(2);
  });

  it.each([
    ["of no code", () => Buffer.from("not compiled code")],
    ["cut short", (kept: Buffer) => kept.subarray(0, kept.length / 2)],
    ["empty", () => Buffer.alloc(0)],
    [
      "with one wrong bit",
      (kept: Buffer) => Buffer.from(kept).fill((kept[kept.length >> 1] ?? 0) ^ 4, kept.length >> 1, (kept.length >> 1) + 1),
    ],
    ["of another version of V8", (kept: Buffer) => Buffer.concat([Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]), kept.subarray(8)])],
  ])("in a file %s is not used, and replaced", async (_, damage) => {
    const cache = newCache();
    const first = await cache.check(clean);
    const file = join(cache.folder, cache.names()[0] ?? "");
    const kept = readFileSync(file);
    writeFileSync(file, damage(kept));
    expect(await cache.check(clean)).toEqual(first);
    expect(readFileSync(file).length).toBeGreaterThan(kept.length / 2);
    expect(cache.names()).toHaveLength(1);
  });

  it("is neither read from nor written to a folder that others may write", async () => {
    const cache = newCache();
    mkdirSync(cache.folder, { recursive: true });
    chmodSync(cache.folder, 0o777);
    expect(await cache.check(clean)).toMatchObject({ code: 0, err: "" });
    expect(cache.names()).toEqual([]);
  });

  it("is not kept where no folder can be made, which is no fault", async () => {
    const cache = newCache();
    writeFileSync(join(cache.home, "helm-invariants"), "");
    expect(await cache.check(clean)).toMatchObject({ code: 0, err: "" });
    expect(await cache.check(clean, { XDG_CACHE_HOME: "relative", HOME: "" })).toMatchObject({ code: 0, err: "" });
    expect(await cache.check(clean, { XDG_CACHE_HOME: "/proc/nowhere" })).toMatchObject({ code: 0, err: "" });
  });

  it("is not read from what is no file", async () => {
    const cache = newCache();
    const first = await cache.check(clean);
    const file = join(cache.folder, cache.names()[0] ?? "");
    rmSync(file);
    symlinkSync("/dev/zero", file);
    expect(await cache.check(clean)).toEqual(first);
  });

  it("is not kept when Node's own variable says so", async () => {
    const cache = newCache();
    expect((await cache.check(clean, { NODE_DISABLE_COMPILE_CACHE: "1" })).code).toBe(0);
    expect(existsSync(cache.folder)).toBe(false);
  });

  it("of nobody's use for a month is removed", async () => {
    const cache = newCache();
    mkdirSync(cache.folder, { recursive: true, mode: 0o700 });
    const old = join(cache.folder, "0123456789abcdef-v1.0.0-x64-check");
    writeFileSync(old, "old");
    utimesSync(old, new Date(2020, 1), new Date(2020, 1));
    await cache.check(clean);
    expect(cache.names()).toHaveLength(1);
  });

  it("is not kept of a run that could not do its work", async () => {
    const cache = newCache();
    expect((await cache.check(join(base, "missing.yaml"))).code).toBe(2);
    expect(existsSync(cache.folder)).toBe(false);
  });
});
