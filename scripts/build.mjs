// Builds dist/: the command line and the public API.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildValidators } from "./validator.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function buildAll() {
  await buildValidators();
  await copyFile(`${root}src/config/config.schema.json`, `${root}schema.json`);
  await mkdir(`${root}dist`, { recursive: true });
  const { version } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
  const common = {
    absWorkingDir: root,
    outdir: "dist",
    bundle: true,
    platform: "node",
    target: "node20.19",
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
    define: { __VERSION__: JSON.stringify(version) },
    logLevel: "warning",
  };
  // One script for the command line: bin/ keeps what V8 compiles of it. What is loaded only when used is still run only when used.
  const program = await build({
    ...common,
    entryPoints: { cli: "src/cli.ts" },
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    define: { ...common.define, "import.meta.url": "__location" },
    banner: { js: "const __location = require('node:url').pathToFileURL(__filename).href;" },
  });
  const library = await build({
    ...common,
    entryPoints: { api: "src/index.ts" },
    format: "esm",
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  });
  const files = new Map(library.outputFiles.map(({ path, contents }) => [basename(path), contents]));
  for (const { path, text } of program.outputFiles) files.set(basename(path), withDigest(ascii(text)));
  files.set("THIRD-PARTY-LICENSES.txt", await licenses(Object.keys({ ...program.metafile.inputs, ...library.metafile.inputs })));
  for (const [name, contents] of files) await replace(`${root}dist/${name}`, contents);
  for (const name of await readdir(`${root}dist`))
    if (!files.has(name) && /\.c?js$/.test(name)) await rm(`${root}dist/${name}`, { force: true });
}

/** Text that takes one byte a character, which is read and compiled faster; esbuild leaves other characters in regular expressions. */
function ascii(text) {
  return text.replace(/[^\x00-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** bin/compiled.js tells by the first line whether compiled code is of this very text. */
function withDigest(text) {
  return `/* ${createHash("sha256").update(text).digest("hex").slice(0, 16)} */\n${text}`;
}

/** Whoever runs dist/ meanwhile sees the old file or the new one, never half of one. */
async function replace(file, contents) {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, contents);
  await rename(temporary, file);
}

/** The licence texts of every bundled package, as those licences ask. */
async function licenses(inputs) {
  const names = new Set(inputs.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  const parts = [];
  for (const name of [...names].sort()) {
    const folder = `${root}node_modules/${name}/`;
    const { version, license } = JSON.parse(await readFile(`${folder}package.json`, "utf8"));
    const texts = await Promise.all(
      ["LICENSE", "LICENSE.md", "license", "LICENCE"].map((file) => readFile(folder + file, "utf8").catch(() => "")),
    );
    parts.push(`${name} ${version} (${license})\n\n${texts.find((text) => text !== "") ?? ""}`);
  }
  return parts.join(`\n\n${"-".repeat(80)}\n\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
