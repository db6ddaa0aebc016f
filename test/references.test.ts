import { describe, expect, it } from "vitest";
import { type ChartSource, readValueReferences } from "../src/values/references.js";
import { similarKeys } from "../src/values/similar-keys.js";
import { readPieces, TemplateSyntaxError } from "../src/values/template-syntax.js";
import { parseTemplate } from "../src/values/template-tree.js";

/** A chart of the given templates; names that begin with `_` are helpers. */
function chartOf(templates: Readonly<Record<string, string>>, more: Partial<ChartSource> & { readonly name?: string } = {}): ChartSource {
  const { name = "app", metadata = {}, ...rest } = more;
  const texts = Object.entries(templates).map(([file, text]) => ({ file: `templates/${file}`, text }));
  return { subcharts: [], ...rest, metadata: { name, ...metadata }, templates: texts };
}

/** What is said of each path of a chart with one template (and helpers). */
function verdictsOf(template: string, values: unknown, ...paths: readonly string[]): readonly string[] {
  return verdicts(chartOf({ "a.yaml": template }), values, ...paths);
}

function verdicts(chart: ChartSource, values: unknown, ...paths: readonly string[]): readonly string[] {
  const references = readValueReferences({ chart, values });
  return paths.map((path) => references(path.split(".")));
}

const some = { a: { b: { c: 1, d: 2 }, e: 3 }, f: { g: 4, h: 5 }, list: [{ x: 1, y: 2 }, { x: 3 }], text: "t" };

describe("a template refers to a value", () => {
  it.each([
    ["a path", "{{ .Values.a.b.c }}"],
    ["a path in a pipeline", "{{ .Values.a.b.c | default 3 | quote }}"],
    ["a path from the root", "{{ range .Values.list }}{{ $.Values.a.b.c }}{{ end }}"],
    ["parentheses", "{{ ((.Values.a).b).c }}"],
    ["index", '{{ index .Values "a" "b" "c" }}'],
    ["index in parentheses", '{{ (index .Values.a "b").c }}'],
    ["index of the root", '{{ index . "Values" "a" "b" "c" }}'],
    ["get", '{{ get (get .Values.a "b") "c" }}'],
    ["dig", '{{ dig "b" "c" "none" .Values.a }}'],
    ["pluck", '{{ pluck "c" .Values.a.b | first }}'],
    ["hasKey", '{{ if hasKey .Values.a.b "c" }}x{{ end }}'],
    ["with", "{{ with .Values.a }}{{ .b.c }}{{ end }}"],
    ["with in with", "{{ with .Values.a }}{{ with .b }}{{ .c }}{{ end }}{{ end }}"],
    ["with and a variable", "{{ with $x := .Values.a.b }}{{ $x.c }}{{ end }}"],
    ["a variable", "{{ $x := .Values.a }}{{ $y := $x.b }}{{ $y.c }}"],
    ["a variable that is assigned", "{{ $x := dict }}{{ if true }}{{ $x = .Values.a.b }}{{ end }}{{ $x.c }}"],
    ["a variable of the values", "{{ $v := .Values }}{{ $v.a.b.c }}"],
    ["a variable of the root", "{{ $top := . }}{{ range .Values.list }}{{ $top.Values.a.b.c }}{{ end }}"],
    ["a condition", "{{ if and .Values.text (eq .Values.a.b.c 1) }}x{{ else if .Values.f.g }}y{{ end }}"],
    ["a condition on emptiness", "{{ if .Values.a.b.c }}x{{ end }}"],
    ["ternary", "{{ ternary .Values.a.b.c 2 true }}"],
    ["default of something else", "{{ .Values.none | default .Values.a.b.c }}"],
    ["coalesce", "{{ (coalesce .Values.none .Values.a.b).c }}"],
    ["required", '{{ required "set it" .Values.a.b.c }}'],
    ["printf", '{{ printf "%d" .Values.a.b.c }}'],
    ["a dictionary", '{{ $d := dict "k" .Values.a.b }}{{ $d.k.c }}'],
    ["a dictionary that is set later", '{{ $d := dict }}{{ $_ := set $d "k" .Values.a.b }}{{ $d.k.c }}'],
    ["merge", "{{ $m := merge (dict) .Values.none .Values.a.b }}{{ $m.c }}"],
    ["merge in place", "{{ $m := dict }}{{ $_ := mustMergeOverwrite $m .Values.a.b }}{{ $m.c }}"],
    ["deepCopy", "{{ $m := deepCopy .Values.a }}{{ $m.b.c }}"],
    ["pick", '{{ (pick .Values.a "b").b.c }}'],
    ["omit", '{{ omit .Values.a.b "d" | toYaml }}'],
    ["a list", "{{ range list .Values.a.b .Values.f }}{{ .c }}{{ end }}"],
    ["a name in a variable", '{{ range list "a" "z" }}{{ (index $.Values . "b").c }}{{ end }}'],
    ["a name that is made", '{{ $k := printf "%s" "a" }}{{ (get .Values $k).b.c }}'],
    ["a path in a string", '{{ $at := .Values }}{{ range splitList "." "a.b.c" }}{{ $at = index $at . }}{{ end }}{{ $at }}'],
    ["a name that cannot be told", "{{ (index .Values .Release.Name).b.c }}"],
    ["a comment and trims", "{{- /* .Values.no */ -}}{{- .Values.a.b.c -}}"],
    ["an action over lines", '{{ include "none" (dict\n  "x" 1) }}{{ printf "%v"\n  .Values.a.b.c }}'],
    ["raw strings", "{{ index .Values.a `b` `c` }}"],
    ["template", '{{ define "x" }}{{ .b.c }}{{ end }}{{ template "x" .Values.a }}'],
    ["block", '{{ block "x" .Values.a }}{{ .b.c }}{{ end }}'],
    ["else with", "{{ with .Values.none }}x{{ else with .Values.a }}{{ .b.c }}{{ end }}"],
    ["include", '{{ define "x" }}{{ .b.c }}{{ end }}{{ include "x" .Values.a | nindent 2 }}'],
    ["include with a dictionary", '{{ define "x" }}{{ .cfg.c }}{{ end }}{{ include "x" (dict "ctx" . "cfg" .Values.a.b) }}'],
    ["include with the root in a dictionary", '{{ define "x" }}{{ .ctx.Values.a.b.c }}{{ end }}{{ include "x" (dict "ctx" $) }}'],
    ["include in include", '{{ define "x" }}{{ include "y" .b }}{{ end }}{{ define "y" }}{{ $.c }}{{ end }}{{ include "x" .Values.a }}'],
    ["include by a name that is made", '{{ define "x.one" }}{{ .c }}{{ end }}{{ include (printf "x.%s" .Values.text) .Values.a.b }}'],
    ["include of another file", '{{ include (print $.Template.BasePath "/a.yaml") . | sha256sum }}{{ .Values.a.b.c }}'],
    ["a key that an include gives", '{{ define "x" }}{{- "b" -}}{{ end }}{{ (index .Values.a (include "x" .)).c }}'],
  ])("by %s", (_, template) => {
    expect(verdictsOf(template, some, "a.b.c")).toEqual(["read"]);
    expect(verdictsOf(template, some, "f.h")).toEqual(["no"]);
  });

  it.each([
    ["toYaml", "{{ toYaml .Values.a | nindent 2 }}"],
    ["toJson in a scope", "{{ with .Values.a }}{{ toJson . }}{{ end }}"],
    ["print", "{{ .Values.a }}"],
    ["a function that is not known", "{{ somethingNew .Values.a }}"],
    ["a loop over keys and values", "{{ range $k, $v := .Values.a }}{{ $k }}: {{ $v }}{{ end }}"],
    ["a loop that prints", "{{ range .Values.a }}{{ . }}{{ end }}"],
    ["a walk through all keys", "{{ range .Values.a }}{{ range . }}{{ . }}{{ end }}{{ . }}{{ end }}"],
    ["merge and print", "{{ merge (dict) .Values.a | toYaml }}"],
    ["an object of the chart's own", '{{ $_ := set .Release "x" .Values.a }}'],
    ["values that are changed", "{{ $_ := mergeOverwrite .Values.f .Values.a }}"],
    ["tpl", "{{ tpl (toYaml .Values.a) . }}"],
    ["a method", "{{ .Files.Get .Values.a }}"],
    [
      "recursion",
      '{{ define "x" }}{{ range . }}{{ if kindIs "map" . }}{{ include "x" . }}{{ else }}{{ . }}{{ end }}{{ end }}{{ end }}{{ include "x" .Values.a }}',
    ],
  ])("as a whole by %s", (_, template) => {
    expect(verdictsOf(template, some, "a.b.c", "a.b.d", "a.e")).toEqual(["read", "read", "read"]);
    expect(verdictsOf(template, some, "text")).toEqual(["no"]);
  });

  it.each([
    ["toYaml .Values", "{{ toYaml .Values }}"],
    ["the root in a function", "{{ toJson . }}"],
    ["the root in a dictionary that is printed", '{{ toYaml (dict "x" $) }}'],
    ["a loop over the values", "{{ range $k, $v := .Values }}{{ $v }}{{ end }}"],
  ])("with everything else by %s", (_, template) => {
    expect(verdictsOf(template, some, "a.b.c", "text", "list.0.x")).toEqual(["read", "read", "read"]);
  });

  it("in the elements of a list, by the keys that the loop looks at", () => {
    const template = "{{ range .Values.list }}{{ .x }}{{ end }}";
    expect(verdictsOf(template, some, "list.0.x", "list.1.x", "list.0.y")).toEqual(["read", "read", "no"]);
    expect(verdictsOf("{{ (first .Values.list).x }}", some, "list.0.x", "list.0.y")).toEqual(["read", "no"]);
    expect(verdictsOf("{{ (index .Values.list 1).x }}", some, "list.0.x", "list.1.x")).toEqual(["no", "read"]);
  });

  it("only where a variable surely holds it", () => {
    const template = '{{ $x := .Values.a }}{{ $x = .Values.f }}{{ $x.g }}{{ define "u" }}{{ $x := .Values.text }}{{ end }}';
    expect(verdictsOf(template, some, "f.g", "a.g")).toEqual(["read", "no"]);
  });
});

describe("a value that is not read", () => {
  it("is told apart from its neighbours, in every position", () => {
    const template = '{{ .Values.a.e }}{{ index .Values.f "g" }}{{ with .Values.a }}{{ .b.d }}{{ end }}';
    expect(verdictsOf(template, some, "a.b.c", "f.h", "text", "list.0.x")).toEqual(["no", "no", "no", "no"]);
  });

  it("may matter where it decides whether its parent is empty", () => {
    const template = "{{ if .Values.f }}on{{ end }}{{ range .Values.a }}x{{ end }}";
    expect(verdictsOf(template, { f: { g: 1 }, a: { b: { c: 1 } } }, "f.g", "a.b.c")).toEqual(["perhaps", "perhaps"]);
    expect(verdictsOf(template, some, "f.g", "a.e", "a.b.c")).toEqual(["no", "perhaps", "no"]);
  });

  it("is not read by a comment, a text or a string", () => {
    expect(verdictsOf('{{/* .Values.text */}}# .Values.text\n{{ fail "set .Values.text" }}', some, "text")).toEqual(["no"]);
  });

  it("is perhaps read by a helper that nothing calls with the chart's values", () => {
    const helper = '{{ define "x" }}{{ .Values.text }}{{ .ctx.Values.f.g }}{{ end }}';
    expect(verdictsOf(helper, some, "text", "f.g", "f.h")).toEqual(["perhaps", "no", "no"]);
    expect(verdictsOf(`${helper}{{ include "x" (dict "ctx" .) }}`, some, "text", "f.g")).toEqual(["perhaps", "read"]);
  });

  it("may be an empty mapping that a template looks into", () => {
    expect(verdictsOf("{{ .Values.resources.limits }}", { resources: {} }, "resources")).toEqual(["read"]);
    expect(verdictsOf("{{ .Values.resources.limits }}", { resources: null }, "resources")).toEqual(["read"]);
  });
});

describe("tpl", () => {
  it("reads what a string of the values refers to", () => {
    const values = { template: "{{ .Values.text }} {{ .Values.f.g }}", text: "t", f: { g: 1, h: 2 } };
    expect(verdictsOf("{{ tpl .Values.template . }}", values, "text", "f.g", "f.h")).toEqual(["read", "read", "no"]);
    expect(verdictsOf("{{ .Values.template }}", values, "text")).toEqual(["no"]);
    expect(verdictsOf('{{ tpl .Values.template (dict "Values" .Values.f) }}', { ...values, f: { text: 1 } }, "f.text")).toEqual(["read"]);
  });

  it("reads what a string of a template, or a file, refers to", () => {
    const chart = chartOf({ "a.yaml": '{{ tpl "{{ .Values.text }}" $ }}{{ tpl (.Files.Get "x.txt") . }}' });
    const files = [{ file: "x.txt", text: "{{ .Values.f.g }}" }];
    expect(verdicts({ ...chart, files }, some, "text", "f.g", "f.h")).toEqual(["read", "read", "no"]);
    expect(verdicts(chart, some, "text", "f.g", "f.h")).toEqual(["read", "perhaps", "perhaps"]);
  });

  it("leaves alone strings that are templates of something else", () => {
    const values = { alert: '{{ $labels.instance }} {{ template "slack.title" . }} {{', text: "t", used: "x" };
    expect(verdictsOf("{{ tpl .Values.used . }}{{ .Values.alert }}", values, "text", "used")).toEqual(["no", "read"]);
  });
});

describe("subcharts", () => {
  const database = chartOf({ "s.yaml": "{{ .Values.auth.user }}{{ .Values.global.storage }}" }, { name: "postgresql" });
  const parent = (metadata: Readonly<Record<string, unknown>>, template = "", subcharts = [database]) =>
    chartOf({ "a.yaml": template }, { metadata, subcharts });

  it("read their section, under their name or alias", () => {
    const values = { postgresql: { auth: { user: "a", password: "b" } }, db: { auth: { user: "a" } } };
    expect(verdicts(parent({}), values, "postgresql.auth.user", "postgresql.auth.password")).toEqual(["read", "no"]);
    const aliased = parent({ dependencies: [{ name: "postgresql", alias: "db" }] });
    expect(verdicts(aliased, values, "db.auth.user", "postgresql.auth.user")).toEqual(["read", "no"]);
    const twice = parent({ dependencies: [{ name: "postgresql", alias: "db" }, { name: "postgresql" }] });
    expect(verdicts(twice, values, "db.auth.user", "postgresql.auth.user")).toEqual(["read", "read"]);
  });

  it("are read by their parent as well", () => {
    const values = { postgresql: { auth: { password: "b" } } };
    expect(verdicts(parent({}, "{{ .Values.postgresql.auth.password }}"), values, "postgresql.auth.password")).toEqual(["read"]);
    expect(verdicts(parent({}, "{{ .Subcharts.postgresql.Values.auth.password }}"), values, "postgresql.auth.password")).toEqual(["read"]);
  });

  it("share globals with every chart above them", () => {
    const values = { global: { storage: 1, other: 2 }, postgresql: { global: { storage: 3 } } };
    expect(verdicts(parent({}), values, "global.storage", "global.other", "postgresql.global.storage")).toEqual(["read", "no", "read"]);
    const child = chartOf({ "s.yaml": "{{ toYaml .Values.global }}" }, { name: "deep" });
    const nested = parent({}, "", [chartOf({}, { name: "middle", subcharts: [child] })]);
    expect(verdicts(nested, values, "global.other", "middle.global.x", "other.global.x")).toEqual(["read", "read", "no"]);
  });

  it("are switched by conditions and tags", () => {
    const metadata = { dependencies: [{ name: "postgresql", condition: "postgresql.enabled, global.db", tags: ["back"] }] };
    const values = { postgresql: { enabled: true }, global: { db: 1 }, tags: { back: true, front: true } };
    expect(verdicts(parent(metadata), values, "postgresql.enabled", "global.db", "tags.back", "tags.front")).toEqual([
      "read",
      "read",
      "read",
      "no",
    ]);
  });

  it("give values to their parent by import-values", () => {
    const metadata = {
      dependencies: [{ name: "postgresql", "import-values": ["data", { child: "default.data", parent: "taken" }] }],
    };
    const values = { postgresql: { exports: { data: { port: 1, host: 2 } }, default: { data: { x: 1, y: 2 } } } };
    const chart = parent(metadata, "{{ .Values.port }}{{ .Values.taken.x }}");
    const paths = [
      "postgresql.exports.data.port",
      "postgresql.exports.data.host",
      "postgresql.default.data.x",
      "postgresql.default.data.y",
    ];
    expect(verdicts(chart, values, ...paths)).toEqual(["read", "no", "read", "no"]);
  });

  it("that are libraries print nothing, but are called with the values of others", () => {
    const library = chartOf(
      { "_x.tpl": '{{ define "lib.x" }}{{ .Values.text }}{{ end }}', "y.yaml": "{{ .Values.example }}" },
      { name: "lib", metadata: { type: "library" } },
    );
    const values = { text: "t", lib: { example: 1, text: 2 } };
    expect(verdicts(parent({}, '{{ include "lib.x" . }}', [library]), values, "text", "lib.example", "lib.text")).toEqual([
      "read",
      "no",
      "no",
    ]);
  });

  it("that are not there make their section, and every global, a perhaps, and their helpers a reading of everything", () => {
    const metadata = { dependencies: [{ name: "common" }] };
    const values = { common: { x: 1 }, global: { y: 1 }, a: { b: 1 }, c: 2 };
    const chart = parent(metadata, '{{ include "common.x" (dict "v" .Values.a) }}', []);
    expect(verdicts(chart, values, "common.x", "global.y", "a.b", "c")).toEqual(["perhaps", "perhaps", "read", "no"]);
    expect(readValueReferences({ chart, values }).doubts).toEqual(['the templates of the subchart "common" of "app" are not known']);
  });
});

describe("what cannot be followed", () => {
  it("makes every answer a perhaps at least", () => {
    const broken = chartOf({ "a.yaml": "{{ if .Values.x }}", "b.yaml": "{{ .Values.text }}" });
    expect(verdicts(broken, some, "text", "f.g")).toEqual(["read", "perhaps"]);
    const endless = '{{ define "x" }}{{ include "x" (dict "up" . "v" (printf "%s-" .v)) }}{{ end }}{{ include "x" (dict "v" "1") }}';
    expect(verdictsOf(endless, some, "f.g")).toEqual(["perhaps"]);
  });

  it("never keeps it running", () => {
    const deep = `${'{{ range .Values.list }}{{ $x := "" }}'.repeat(40)}{{ $x }}${"{{ end }}".repeat(40)}`;
    expect(verdictsOf(deep, some, "text")).toEqual(["no"]);
    const wide = Array.from(
      { length: 300 },
      (_, i) => `{{ define "t${i}" }}{{ include "t${i + 1}" . }}{{ include "t${i + 1}" . }}{{ end }}`,
    );
    expect(["no", "perhaps"]).toContain(verdictsOf(`${wide.join("")}{{ include "t0" . }}`, some, "text")[0]);
  });
});

describe("template syntax", () => {
  it("trims text as Go does", () => {
    const texts = (template: string) => readPieces(template).flatMap((piece) => ("text" in piece ? [piece.text] : ["·"]));
    expect(texts("a  {{- 1 -}}  b")).toEqual(["a", "·", "b"]);
    expect(texts("a {{-1}} b")).toEqual(["a ", "·", " b"]);
    expect(texts("a {{- /* x */ -}} b{{/* y */}}")).toEqual(["a", "b"]);
    expect(texts("a }} b")).toEqual(["a }} b"]);
  });

  it("tells fields from arguments, and strings from what looks like their end", () => {
    const tokens = (template: string) => readPieces(template).flatMap((piece) => ("tokens" in piece ? piece.tokens : []));
    expect(tokens('{{ f .a .b.c "x\\"}}" `}}` $x.y }}').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "word f",
      "field a",
      "field b",
      "field c",
      'string x"}}',
      "string }}",
      "variable $x",
      "field y",
    ]);
    expect(tokens('{{ "\\u00e9\\x41\\n" }}')[0]?.text).toBe("éA\n");
  });

  it.each([
    "{{ if x }}",
    "{{ end }}",
    "{{ .a",
    '{{ "a }}',
    "{{ (a }}",
    "{{ a) }}",
    "{{ ` }}",
    "{{ else }}",
    "{{ define x }}{{ end }}",
    "{{ a ? b }}",
  ])("refuses %s", (template) => {
    expect(() => parseTemplate(template)).toThrow(TemplateSyntaxError);
  });
});

describe("similar keys", () => {
  const known = ["image.pullPolicy", "autoscaling.minReplicas", "ingress.hosts", "probes.readiness.timeoutSeconds", "service.port", "port"];
  const guesses = (path: string) =>
    similarKeys(
      path.split("."),
      known.map((each) => each.split(".")),
    ).map((each) => each.join("."));

  it("finds a misspelt word", () => {
    expect(guesses("image.PullPolicy")).toEqual(["image.pullPolicy"]);
    expect(guesses("image.pull_policy")).toEqual(["image.pullPolicy"]);
    expect(guesses("ingres.hosts")).toEqual(["ingress.hosts"]);
    expect(guesses("autoscaling.minReplica")).toEqual(["autoscaling.minReplicas"]);
  });

  it("finds the same key under another parent", () => {
    expect(guesses("readiness.timeoutSeconds")).toEqual(["probes.readiness.timeoutSeconds"]);
    expect(guesses("minReplicas")).toEqual(["autoscaling.minReplicas"]);
    expect(guesses("probes.timeoutSeconds")).toEqual(["probes.readiness.timeoutSeconds"]);
  });

  it("finds nothing where nothing is near", () => {
    expect(guesses("something.else")).toEqual([]);
    expect(guesses("worker.minReplicas")).toEqual([]);
    expect(guesses("image.pullPolicy")).toEqual([]);
  });
});
