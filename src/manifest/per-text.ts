/** Characters of text that are remembered by each function; beyond that all of them are forgotten. */
const mostKept = 8 * 1024 * 1024;

/** The function, computed once for each text: environments of one chart share most of their documents. What it throws is not remembered. */
export function perText<Value extends object | boolean>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  let kept = 0;
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = compute(text);
    kept += text.length;
    if (kept > mostKept) {
      known.clear();
      kept = text.length;
    }
    known.set(text, value);
    return value;
  };
}
