/** A rule's page, taken apart. */
export interface Page {
  readonly title: string;
  /** The first paragraph: the invariant as one sentence. */
  readonly summary: string;
  /** Text under each `##` heading. */
  readonly sections: ReadonlyMap<string, string>;
}

/** A fenced YAML block of a page, with the 1-based line of its first content line. */
export interface Fence {
  readonly section: string;
  readonly text: string;
  readonly line: number;
}

/** Headings that every rule page has, in this order. */
export const pageHeadings = ["What it guards", "Why", "Bad", "Good", "Facts", "Options"] as const;

/** Takes a page apart. */
export function readPage(text: string): Page {
  const [head = "", ...rest] = text.split(/^## /m);
  const title = /^# (.+)$/m.exec(head)?.[1]?.trim() ?? "";
  const summary =
    head
      .replace(/^# .+$/m, "")
      .trim()
      .split(/\n\s*\n/)[0] ?? "";
  const sections = new Map(
    rest.map((part) => {
      const [heading = "", ...lines] = part.split("\n");
      return [heading.trim(), lines.join("\n").trim()] as const;
    }),
  );
  return { title, summary, sections };
}

/** The YAML fences of a page, each with the heading that it stands under. */
export function readFences(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let section = "";
  let open: { line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (open === undefined && line.startsWith("## ")) section = line.slice(3).trim();
    if (open === undefined && /^```ya?ml\s*$/.test(line)) open = { line: index + 2, lines: [] };
    else if (open !== undefined && line.startsWith("```")) {
      fences.push({ section, text: open.lines.join("\n"), line: open.line });
      open = undefined;
    } else open?.lines.push(line);
  }
  return fences;
}
