import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags } from "yaml";

const words: ReadonlyMap<string, boolean | number | null> = new Map<string, boolean | number | null>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);

const integer = /^([+-]?)(?:0[xX]([\da-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9]\d*))$/;
const decimal = /^[+-]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][+-]?\d+)?$/;
const floating = /\.|^[+-]?[\d_]+[eE]/;

/** What helm (go-yaml 2) makes of a plain scalar: `yes` is true, `0644` is 420, `12:30:00` and `2001-12-14` stay text. */
export function resolvePlain(text: string): string | number | boolean | null {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/.test(text)) return text;
  // go-yaml ignores underscores, but in a number that starts with the dot they must stand between digits.
  if (text.startsWith(".") && /(?<!\d)_|_(?!\d)/.test(text)) return text;
  const digits = text.replaceAll("_", "");
  return resolveInteger(digits) ?? resolveDecimal(digits) ?? text;
}

function resolveInteger(digits: string): number | undefined {
  const match = integer.exec(digits);
  if (match === null) return undefined;
  const [, sign, hex, octal, binary, plain] = match;
  const size = BigInt(
    hex !== undefined ? `0x${hex}` : octal !== undefined ? `0o${octal}` : binary !== undefined ? `0b${binary}` : (plain ?? 0),
  );
  // Beyond 64 bits go-yaml reads decimal digits as a float and leaves the other bases as text.
  if (sign === "-" ? size > 1n << 63n : size >= 1n << 64n) return undefined;
  return sign === "-" && size !== 0n ? -Number(size) : Number(size);
}

function resolveDecimal(digits: string): number | undefined {
  const number = decimal.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** The JSON key that helm makes of a key: `on` is `true`, `0x10` is `16`, `1.0` is `1`. `source` is the key as written. */
export function keyText(value: unknown, source: string): string {
  if (typeof value !== "number") return String(value);
  const isFloat = (floating.test(source) && !/^[+-]?0[xX]/.test(source)) || Math.abs(value) >= 2 ** 64;
  if (!isFloat) return /^[1-9]\d*$/.test(source) ? source : String(value);
  // Float keys go through Go's %g at 32 bits.
  const single = shortestSingle(value);
  if (Number.isNaN(single)) return ".nan";
  if (!Number.isFinite(single)) return single < 0 ? "-.inf" : ".inf";
  const [mantissa = "", exponent = ""] = single.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(single);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** The double with the fewest digits that is the same 32-bit float. */
function shortestSingle(value: number): number {
  const single = Math.fround(value);
  for (let precision = 1; precision < 10; precision++) {
    const candidate = Number(value.toPrecision(precision));
    if (Math.fround(candidate) === single) return candidate;
  }
  return single;
}

const core = "tag:yaml.org,2002:";
const explicitKinds: Readonly<Record<string, string>> = { int: "number", float: "number", bool: "boolean", null: "object" };

const plain: ScalarTag = { tag: `${core}str`, default: true, test: /^(?:[-+.\d~yYnNtTfFoO]|$)/, resolve: resolvePlain };

const explicit: readonly ScalarTag[] = [
  ...Object.entries(explicitKinds).map(([name, type]): ScalarTag => {
    const resolve: ScalarTag["resolve"] = (text, onError) => {
      const value = resolvePlain(text);
      if (typeof value !== type || (name === "int" && !Number.isInteger(value))) onError(`"${text}" is not a value of type ${name}`);
      return value;
    };
    return { tag: core + name, default: false, resolve };
  }),
  { tag: `${core}binary`, default: false, resolve: decode },
  { tag: `${core}timestamp`, default: false, resolve: (text) => text },
];

function decode(text: string, onError: (message: string) => void): string {
  if (!/^[A-Za-z\d+/\s]*={0,2}\s*$/.test(text)) onError("a !!binary value is not base64");
  return Buffer.from(text, "base64").toString("utf8");
}

function tagsOf(known: Tags): Tags {
  const basic = known.filter((tag) => typeof tag === "object" && /:(?:map|seq|str)$/.test(tag.tag));
  return [plain, ...basic, ...explicit];
}

/**
 * Options of the `yaml` package under which scalars are read as helm reads them (YAML 1.1 without base 60 and without timestamps).
 * Merge keys stay ordinary pairs and duplicate keys are no error: `readTree` deals with both in go-yaml's way.
 */
export const yaml11: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  customTags: tagsOf,
  merge: false,
  uniqueKeys: false,
  strict: false,
  prettyErrors: false,
  logLevel: "error",
};
