/** A step into a rendered object: a mapping key, or a list element by 0-based index with the name that a reader knows it by. */
export type Segment = string | { readonly index: number; readonly name?: string };

/** The object that a place is in; `document` is the 0-based index of its document within the render of one environment. */
export interface ObjectRef {
  readonly document: number;
  /** 0-based ordinal of the object within a document that is a `List`; absent for a document that is one object. */
  readonly item?: number;
  readonly kind: string;
  readonly name: string;
}

const plainKey = /^[A-Za-z_][\w-]*$/;

/**
 * A field of a rendered object, named by keys and never by line: `spec.template.spec.containers[portal].startupProbe`.
 * It may name a field that is not rendered; whoever shows it then falls back to the nearest ancestor that is.
 */
export class Place {
  constructor(
    readonly object: ObjectRef,
    readonly path: readonly Segment[] = [],
  ) {}

  /** The place of a nested mapping key. */
  key(...keys: readonly string[]): Place {
    return new Place(this.object, [...this.path, ...keys]);
  }

  /** The place of a list element; `index` counts from 0, `name` is what the element calls itself. */
  item(index: number, name?: string): Place {
    return new Place(this.object, [...this.path, name === undefined ? { index } : { index, name }]);
  }

  /** The place that this one is directly in; of the object itself the object. */
  parent(): Place {
    return new Place(this.object, this.path.slice(0, -1));
  }

  /** `Deployment/web`. */
  get subject(): string {
    return `${this.object.kind}/${this.object.name}`;
  }

  /** `spec.template.spec.containers[portal].startupProbe`; list elements by name where they have one, else by index. */
  get field(): string {
    let text = "";
    for (const segment of this.path) {
      if (typeof segment !== "string") {
        text += `[${segment.name ?? segment.index}]`;
        continue;
      }
      if (plainKey.test(segment)) text += text === "" ? segment : `.${segment}`;
      else text += `[${JSON.stringify(segment)}]`;
    }
    return text;
  }

  /** The name of the container that the place is inside of, if it is inside one. */
  get container(): string | undefined {
    for (let i = 0; i + 1 < this.path.length; i++) {
      const key = this.path[i];
      const element = this.path[i + 1];
      if (key !== "containers" && key !== "initContainers" && key !== "ephemeralContainers") continue;
      if (element !== undefined && typeof element !== "string") return element.name;
    }
    return undefined;
  }

  /** `Deployment/web spec.replicas`. */
  toString(): string {
    return this.field === "" ? this.subject : `${this.subject} ${this.field}`;
  }
}
