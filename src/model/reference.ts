/** A piece of a text with `$(NAME)` references: plain text after unescaping, or a reference. */
export type Piece = { readonly text: string } | { readonly name: string };

/** Splits a text the way the kubelet reads `$(NAME)`: `$$` is `$`, `$x` and an unclosed `$(` stay (item 117). */
export function parseReferences(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let plain = "";
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    const next = text.charAt(i + 1);
    if (char !== "$" || next === "") {
      plain += char;
      continue;
    }
    const close = next === "(" ? text.indexOf(")", i + 2) : -1;
    if (close >= 0) {
      pieces.push({ text: plain }, { name: text.slice(i + 2, close) });
      plain = "";
      i = close;
      continue;
    }
    plain += next === "$" ? "$" : `$${next}`;
    i++;
  }
  pieces.push({ text: plain });
  return pieces.filter((piece) => "name" in piece || piece.text !== "");
}

/** The names that a text refers to by `$(NAME)`, in order, repeated ones too. */
export function referencesIn(text: string): readonly string[] {
  return parseReferences(text).flatMap((piece) => ("name" in piece ? [piece.name] : []));
}
