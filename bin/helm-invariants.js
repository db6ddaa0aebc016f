#!/usr/bin/env node
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");
const { findCompiled, keepCompiled } = require("./compiled.js");

const file = join(dirname(__dirname), "dist", "cli.cjs");
const source = readFileSync(file, "latin1");
const compiled = findCompiled(source, process.argv[2]);
const script = new Script(`(function (module, require, __filename, __importModule) {${source}\n})`, {
  filename: file,
  cachedData: compiled.data,
});
const program = { exports: {} };
// A script that is not compiled anew cannot import: this file does it.
script.runInThisContext()(program, createRequire(file), file, (url) => import(url));
program.exports.start(process.argv).then((code) => {
  process.exitCode = code;
  keepCompiled(compiled, script, code);
  endSoon();
});

/** A rule module that leaves a timer or a server behind must not keep a pipeline waiting; whoever reads slowly may. */
function endSoon() {
  setTimeout(() => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) endSoon();
    else process.exit();
  }, 2000).unref();
}
