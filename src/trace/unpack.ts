import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

interface Entry {
  readonly name: string;
  readonly content: Uint8Array;
}

const block = 512;

/** Unpacks a packed chart (`.tgz`) into a folder, without the folder that its names begin with. Throws when it is damaged or larger than `most` bytes. */
export async function unpackChart(archive: string, folder: string, most: number): Promise<void> {
  const tar = await promisify(gunzip)(await readFile(archive), { maxOutputLength: most });
  for (const { name, content } of readTar(tar)) {
    const steps = name.split(/[\\/]/).filter((step) => step !== "" && step !== ".");
    if (steps.length < 2 || steps.includes("..")) continue;
    const file = join(folder, ...steps.slice(1));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** The ordinary files of a tar archive; links and devices are left out. */
function* readTar(tar: Uint8Array): Generator<Entry> {
  let longName: string | undefined;
  for (let at = 0; at + block <= tar.length; ) {
    const header = tar.subarray(at, at + block);
    if (header[0] === 0) return;
    const size = readSize(header);
    const content = tar.subarray(at + block, at + block + size);
    if (content.length < size) throw new Error("the archive ends in the middle of a file");
    at += block + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x") longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(decode(content))?.[1] ?? longName;
    if (type === "L") longName = textOf(content);
    if (type === "x" || type === "L" || type === "g") continue;
    if (type === "0" || type === "\0") yield { name: longName ?? readName(header), content };
    longName = undefined;
  }
}

function readName(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100));
  const prefix = decode(header.subarray(257, 262)) === "ustar" ? textOf(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function readSize(header: Uint8Array): number {
  const size = Number.parseInt(textOf(header.subarray(124, 136)).trim() || "0", 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error("the archive is damaged");
  return size;
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decode(end === -1 ? bytes : bytes.subarray(0, end));
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
