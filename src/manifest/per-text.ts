/** What is known of texts. All of it is forgotten when the texts together are longer than a bound. */
export interface TextMap<Value> {
  get(text: string): Value | undefined;
  set(text: string, value: Value): void;
}

/** A map of texts of at most `most` characters together. */
export function textMap<Value>(most: number): TextMap<Value> {
  const known = new Map<string, Value>();
  let kept = 0;
  return {
    get: (text) => known.get(text),
    set(text, value) {
      kept += text.length;
      if (kept > most) {
        known.clear();
        kept = text.length;
      }
      known.set(text, value);
    },
  };
}

/** The function, computed once for each text: environments of one chart share most of their documents. What it throws is not remembered. */
export function perText<Value extends object | boolean>(compute: (text: string) => Value): (text: string) => Value {
  const known = textMap<Value>(8 * 1024 * 1024);
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = compute(text);
    known.set(text, value);
    return value;
  };
}
