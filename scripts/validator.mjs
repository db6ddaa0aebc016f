import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const schemaFile = join(root, "src/config/config.schema.json");
const target = join(root, "src/config/generated");

const types = `/** One fault as ajv reports it; with the schema that it stands in. */
export interface SchemaFault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly schema?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
  readonly propertyName?: string;
}

export interface Validator {
  (data: unknown): boolean;
  readonly errors?: readonly SchemaFault[] | null;
}

export declare const validateConfig: Validator;
export declare const validateReadings: Validator;
`;

/** Compiles the config schema into src/config/generated/validate.js (+ .d.ts), a module without imports; gives the schema's path, to be copied to /schema.json. */
export async function buildValidators() {
  const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, code: { source: true, esm: true } });
  // An annotation that editors show, and that complaints quote.
  ajv.addKeyword("errorMessage");
  ajv.addSchema(schema, "config");
  ajv.addSchema({ $ref: "config#/definitions/readingsFile" }, "readings");
  const code = standalone.default(ajv, { validateConfig: "config", validateReadings: "readings" });
  const bundle = await build({
    stdin: { contents: code, resolveDir: root, sourcefile: "validate.js", loader: "js" },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    charset: "utf8",
    legalComments: "none",
    banner: { js: "// Written by scripts/validator.mjs from config.schema.json." },
    write: false,
  });
  mkdirSync(target, { recursive: true });
  writeWhole(join(target, "validate.js"), bundle.outputFiles[0].text);
  writeWhole(join(target, "validate.d.ts"), types);
  return schemaFile;
}

/** A reader that runs at the same moment sees the old file or the new one, never half of it. */
function writeWhole(file, text) {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
