import { describe, expect, it } from "vitest";
import { parseImage } from "../src/model/image.js";
import { registryOf } from "../src/model/registry.js";

describe("the registry that a pull secret is for", () => {
  it.each([
    ["nginx:1", "docker.io/library"],
    ["docker.io/nginx", "docker.io/library"],
    ["index.docker.io/library/nginx", "docker.io/library"],
    ["team/web:1.0.0", "docker.io/team"],
    ["docker.io/team/web@sha256:aa", "docker.io/team"],
    ["ghcr.io/team/web:1", "ghcr.io/team"],
    ["quay.io/team/deep/web", "quay.io/team"],
    ["registry.example.com/team/web:1", "registry.example.com"],
    ["registry.example.com:5000/web:1", "registry.example.com:5000"],
    ["localhost/web", "localhost"],
    ["localhost:5000/web", "localhost:5000"],
    ["", undefined],
  ])("of %s is %s", (image, registry) => {
    expect(registryOf(parseImage(image))).toBe(registry);
  });
});
