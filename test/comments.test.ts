import { describe, expect, it } from "vitest";
import { commentsNear } from "../src/manifest/comments.js";
import { parseManifests } from "../src/manifest/parse.js";
import type { Manifest } from "../src/manifest/types.js";

function only(text: string): Manifest {
  const [manifest] = parseManifests(text).all;
  if (manifest === undefined) throw new Error("no object");
  return manifest;
}

const text = `---
# Source: x/templates/x.yaml
kind: ConfigMap # behind the kind
apiVersion: v1
metadata: { name: x }
# above, first
# above, second
data:
  # inside
  a: "# quoted" # behind a
  b: |
    # content
    more

  c: '#x'
  d: a#b # "behind" d
# of the next
more:
  list: [1, # in a flow
    2]
`;

describe("comments beside a field", () => {
  it("are those above its key and on the lines of its value, with their lines", () => {
    expect(commentsNear(only(text), ["data"])).toEqual([
      { text: "above, first", line: 6 },
      { text: "above, second", line: 7 },
      { text: "inside", line: 9 },
      { text: "behind a", line: 10 },
      { text: '"behind" d', line: 16 },
    ]);
    expect(commentsNear(only(text), ["kind"]).map((comment) => comment.text)).toContain("behind the kind");
    expect(commentsNear(only(text), ["more", "list"])).toEqual([{ text: "in a flow", line: 19 }]);
  });

  it("are none of a field that is not rendered", () => {
    expect(commentsNear(only(text), ["spec"])).toEqual([]);
    expect(commentsNear(only("kind: A\nmetadata: { name: x }\n"), ["kind"])).toEqual([]);
  });
});
