import { manifestOf, parseManifests } from "../manifest/parse.js";
import type { Place } from "../manifest/place.js";
import type { Manifests } from "../manifest/types.js";
import type { RenderJob } from "../plan.js";
import { alignRenders, type Twins } from "./align.js";
import { claimLine, includingLine, type Sources } from "./claim.js";
import { type CopiedTemplate, copyChart, type MarkedCopy } from "./copy.js";
import { readIncludes } from "./include.js";
import { type MarkedLines, readMarkedLines } from "./spans.js";
import type { Origins, OriginsInput, TemplateOrigin } from "./types.js";

/**
 * Renders a marked copy of a chart once (up to four times when helm refuses the marks) and reads off it which template line wrote which
 * field. Whoever calls disposes of `copy`. Rejects when `rerender` does; nothing of the copy is left then.
 */
export async function findOrigins({ job, manifests, rerender, copy: given }: OriginsInput): Promise<Origins> {
  if (job.kind !== "chart") return nothing([]);
  let copy: MarkedCopy;
  try {
    copy = given ?? (await copyChart(job.chart));
  } catch (error) {
    return nothing([`the chart could not be copied: ${(error as Error).message}`]);
  }
  try {
    const marked = await renderMarked(copy, job, rerender);
    return readOrigins(copy, manifests, marked);
  } catch (error) {
    if (given === undefined) await copy.dispose();
    throw error;
  }
}

function nothing(notes: readonly string[]): Origins {
  return { values: undefined, copy: undefined, renders: 0, originOf: () => undefined, sourceFileOf: () => undefined, notes };
}

interface MarkedRender {
  readonly text: string | undefined;
  readonly renders: number;
  readonly notes: readonly string[];
}

/** Takes marks away as long as helm refuses them: those of the template that it names, then those of all helpers too, then all. */
async function renderMarked(copy: MarkedCopy, job: RenderJob, rerender: OriginsInput["rerender"]): Promise<MarkedRender> {
  const notes: string[] = [];
  for (let renders = 1, chart = copy.marked; ; renders++) {
    const { render, failure } = await rerender({ ...job, chart });
    if (render !== undefined) return { text: render.text, renders, notes };
    if (failure.kind !== "helm" || chart === copy.folder) {
      return { text: undefined, renders, notes: [...notes, `the copy of the chart does not render: ${failure.message}`] };
    }
    const named = copy.templates.find((template) => template.copy === failure.location?.file);
    if (renders < 3 && named !== undefined) {
      copy.unmark((template) => template === named || (renders === 2 && template.isHelper));
      notes.push(`${named.helmPaths[0] ?? named.file}: helm refuses its marks`);
      continue;
    }
    chart = copy.folder;
    notes.push("no template line is known: helm refuses the marks");
  }
}

function readOrigins(copy: MarkedCopy, plain: Manifests, marked: MarkedRender): Origins {
  const alignment = marked.text === undefined ? undefined : alignRenders(plain, parseManifests(marked.text));
  const numbers = new Map(copy.templates.flatMap((template, index) => template.helmPaths.map((path) => [path, index] as const)));
  const sources = readSources(copy.templates);
  const documents = new Map<number, Document | undefined>();
  const fallen = new Set<string>();
  return {
    values: marked.text === undefined ? undefined : copy.valuesIn(marked.text),
    copy,
    renders: marked.renders,
    get notes() {
      return [...marked.notes, ...fallen];
    },
    sourceFileOf: (document) => copy.templates[sourceOf(document) ?? -1]?.file,
    originOf(at) {
      const { document } = at.object;
      if (!documents.has(document)) documents.set(document, openDocument(document));
      const opened = documents.get(document);
      return opened === undefined ? undefined : originIn(opened, at, sources);
    },
  };

  function sourceOf(document: number): number | undefined {
    return numbers.get(plain.all.find((manifest) => manifest.document === document)?.source ?? "");
  }

  function openDocument(document: number): Document | undefined {
    const twins = alignment?.twinsOf(document);
    if (typeof twins === "string") fallen.add(twins);
    if (twins === undefined || typeof twins === "string") return undefined;
    return { twins, plain, marks: readMarkedLines(twins.lines), source: sourceOf(document) };
  }
}

/** A document whose marks are read. */
interface Document {
  readonly twins: Twins;
  readonly plain: Manifests;
  readonly marks: MarkedLines;
  /** Number of the template that `# Source:` names. */
  readonly source: number | undefined;
}

/** The line of the field itself, else of its nearest ancestor that has one; the object's kind stands for the object. */
function originIn({ twins, plain, marks, source }: Document, at: Place, sources: Sources): TemplateOrigin | undefined {
  const manifest = manifestOf(plain, at);
  if (manifest === undefined) return undefined;
  for (let depth = at.path.length; depth >= 0; depth--) {
    const path = depth === 0 ? ["kind"] : at.path.slice(0, depth);
    const index = twins.lineOf(manifest, path);
    if (index === undefined) continue;
    const claim = claimLine({ marks, index, source }, path.at(-1) ?? "kind", sources);
    if (claim === undefined) continue;
    const { mark, ...origin } = claim;
    const exact = depth === at.path.length;
    const include = includingLine({ marks, index, source }, mark, sources);
    return { ...origin, exact, kind: exact ? origin.kind : "ancestor", ...(include !== undefined && { include }) };
  }
  return undefined;
}

function readSources(templates: readonly CopiedTemplate[]): Sources {
  const lines = new Map<number, readonly string[]>();
  return {
    files: templates.map(({ file }) => file),
    includes: readIncludes(templates.map(({ text }) => text)),
    lineText(file, line) {
      if (!lines.has(file)) lines.set(file, (templates[file]?.text ?? "").replace(/^\uFEFF/, "").split(/\r?\n/));
      return lines.get(file)?.[line - 1];
    },
  };
}
