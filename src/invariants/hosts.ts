const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const longest = 16_384;

/**
 * The hosts of a connection string, lower case, in its order: `Host=`, `Server=` and `Data Source=` pairs, URLs, and comma-separated
 * `host:port` lists. Addresses of the machine itself are none.
 */
export function hostsIn(text: string): string[] {
  if (text.length > longest) return [];
  const found: string[] = [];
  for (const part of text.split(/[;\s]+(?=[\w ]+=)|;/)) {
    const value = /^\s*(?:host|server|data source|address|addr|network address|endpoint|hosts|servers)\s*=\s*(.*)$/is.exec(part)?.[1];
    if (value !== undefined) found.push(...value.split(","));
  }
  if (found.length === 0) found.push(...authorities(text));
  return [
    ...new Set(
      found.map(bare).filter((host) => hostName.test(host) && host !== "localhost" && !/^\d+$/.test(host) && !/^127\./.test(host)),
    ),
  ];
}

/** `scheme://user:password@a:1,b:2/path` gives `a:1`, `b:2`; a text without a scheme is such a list itself when each has a port. */
function authorities(text: string): readonly string[] {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)/i.exec(text.trim())?.[1];
  if (authority !== undefined) return authority.slice(authority.lastIndexOf("@") + 1).split(",");
  return text.split(",").filter((part) => /^\s*[\w.-]+:\d{1,5}\s*$/.test(part));
}

function bare(host: string): string {
  const text = host.trim().replace(/^["']|["']$/g, "");
  const inner = text.replace(/^[a-z][a-z0-9+.-]*:(?:\/\/)?(?=[a-z])/i, "");
  return inner
    .replace(/[:/\\].*$/s, "")
    .replace(/\.$/, "")
    .toLowerCase();
}
