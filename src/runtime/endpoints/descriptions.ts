import type { DescriptionFormat, Plan } from '../../plan/step.ts';

/**
 * Returns the description of a service in one format and version (null where the document has no versions); null where
 * there is no such version. It is made outside the runtime, which knows nothing of exports.
 */
export type Describe = (plan: Plan, format: DescriptionFormat, version: string | null) => Promise<string | null>;

/** The texts that the endpoints of a document’s `Description` answer with: made once, before the first request. */
export class Descriptions {
  private readonly texts: ReadonlyMap<string, string>;

  private constructor(texts: ReadonlyMap<string, string>) {
    this.texts = texts;
  }

  /**
   * Makes all descriptions that endpoints answer with, in each version that is not retired; none without `describe`.
   */
  static async made(plan: Plan, describe: Describe | null): Promise<Descriptions> {
    const texts = new Map<string, string>();
    const formats = plan.endpoints.flatMap(({ after }) =>
      after?.body?.kind === 'description' ? [after.body.format] : [],
    );
    if (describe)
      for (const format of new Set(formats))
        for (const version of answeredIn(plan)) {
          const text = await describe(plan, format, version);
          if (text !== null) texts.set(keyOf(format, version ?? ''), text);
        }
    return new Descriptions(texts);
  }

  /** The text in a version, which is empty where the document has none. */
  text(format: DescriptionFormat, version: string): string {
    const text = this.texts.get(keyOf(format, version));
    if (text === undefined) throw new Error(`Nothing was given that describes the service in ${format}`);
    return text;
  }
}

const keyOf = (format: DescriptionFormat, version: string): string => `${format} ${version}`;

function answeredIn({ versions }: Plan): Array<string | null> {
  if (!versions) return [null];
  return [versions.current, ...versions.older.flatMap(({ name, retired }) => (retired ? [] : [name]))];
}
