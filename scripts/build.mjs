// Builds dist/: the command line, the public API and the stages, split so that each is loaded only when used.
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
  const result = await build({
    absWorkingDir: root,
    entryPoints: { cli: "src/cli.ts", api: "src/index.ts" },
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
    define: { __VERSION__: JSON.stringify(version) },
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    logLevel: "warning",
  });
  const files = new Map(result.outputFiles.map(({ path, contents }) => [basename(path), contents]));
  files.set("THIRD-PARTY-LICENSES.txt", await licenses(Object.keys(result.metafile.inputs)));
  for (const [name, contents] of files) await replace(`${root}dist/${name}`, contents);
  for (const name of await readdir(`${root}dist`))
    if (!files.has(name) && name.endsWith(".js")) await rm(`${root}dist/${name}`, { force: true });
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
