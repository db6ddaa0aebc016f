// Keeps what V8 has compiled for the next run: to compile it anew takes longer than to judge a small chart.
const { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { crc32 } = require("node:zlib");
const { dirname, isAbsolute, join } = require("node:path");

const monthMs = 30 * 24 * 3600 * 1000;

/** What an earlier run of the same command, bundle and Node has compiled; without `file` nothing is to be kept. */
function findCompiled(source, command = "") {
  const digest = /^\/\* ([0-9a-f]{16}) \*\//.exec(source)?.[1];
  const { NODE_DISABLE_COMPILE_CACHE: off, XDG_CACHE_HOME: declared = "", HOME: home = "" } = process.env;
  const folder = isAbsolute(declared) ? declared : join(home, ".cache");
  if (off || digest === undefined || !isAbsolute(folder)) return {};
  const use = /^[a-z]{1,10}$/.test(command) ? command : "options";
  const file = join(folder, "helm-invariants", "compiled", `${digest}-${process.version}-${process.arch}-${use}`);
  // A run with findings compiles all that a clean run needs, and more.
  const withFindings = read(`${file}-findings`);
  return { file, data: withFindings ?? read(file), complete: withFindings !== undefined };
}

/** Writes it at the end of a run that had to compile; a folder that cannot be written is no fault. */
function keepCompiled({ file, data, complete }, script, exitCode) {
  const found = exitCode === 1;
  if (file === undefined || exitCode > 1) return;
  if (data !== undefined && script.cachedDataRejected !== true && (complete || !found)) return;
  const folder = dirname(file);
  try {
    makeFolder(folder);
    if (isOurs(folder)) write(found ? `${file}-findings` : file, withSum(script.createCachedData()));
  } catch {
    // the next run compiles again
  }
}

/** Whoever reads meanwhile sees the old file, the new one or none; what nobody has renewed for a month goes. */
function write(file, data) {
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, data, { mode: 0o600 });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  for (const name of readdirSync(dirname(file))) {
    const other = join(dirname(file), name);
    if (Date.now() - statSync(other).mtimeMs > monthMs) rmSync(other, { force: true });
  }
}

/** V8 trusts what it is given: one wrong bit ends the process. The file's last four bytes tell whether the others are as they were. */
function read(file) {
  try {
    if (!isOurs(dirname(file)) || lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    const content = readFileSync(file);
    const data = content.subarray(0, -4);
    return crc32(data) === content.readUInt32LE(data.length) ? data : undefined;
  } catch {
    return undefined;
  }
}

function withSum(data) {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(data));
  return Buffer.concat([data, sum]);
}

/** Step by step: Node's own recursive mkdir goes round for ever below /proc. */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** What is run from a folder must not be writable for others. */
function isOurs(folder) {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}

module.exports = { findCompiled, keepCompiled };
