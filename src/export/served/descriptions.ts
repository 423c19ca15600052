import type { Contract } from '../../contract/contract.ts';
import type { LeftOut } from '../../plan/audience.ts';
import type { DescriptionFormat, Plan } from '../../plan/step.ts';
import type { Describe, Describer } from '../../runtime/endpoints/descriptions.ts';
import type { Json } from '../json.ts';

/**
 * The descriptions that a service serves. The exporters are loaded for the first of them, because most services serve
 * none, and loading them would delay the start.
 */
export function descriptions(): Describe {
  const made = new WeakMap<Plan, Promise<Describer>>();
  return (plan) => {
    const describer = made.get(plan) ?? describerOf(plan);
    made.set(plan, describer);
    return describer;
  };
}

async function describerOf(plan: Plan): Promise<Describer> {
  const [{ contractOf }, exporters] = await Promise.all([
    import('../../contract/contract-of.ts'),
    Promise.all([import('../openapi/document.ts'), import('../asyncapi/document.ts'), import('../left-out.ts')]),
  ]);
  const [{ openApiOf }, { asyncApiOf }, { forNobody, withoutEndpoints }] = exporters;
  const contract = contractOf(plan);
  const texts = new Texts();
  /**
   * The text of a description. A retired version has no OpenAPI description, but an AsyncAPI one, because its receivers
   * are still notified.
   */
  const textOf = (format: DescriptionFormat, version: string | null, leftOut: LeftOut | undefined): string | null => {
    const found = versionOf(contract, version);
    if (!found || (found.status === 'retired' && format !== 'AsyncAPI 3.1')) return null;
    const shown = withoutEndpoints({ contract, version: found }, leftOut ?? forNobody(found));
    const json = (value: Json): string => `${JSON.stringify(value)}\n`;
    if (format === 'AsyncAPI 3.1') return json(asyncApiOf(shown.contract, shown.version));
    // Without recorded exchanges: recording needs a second service in memory.
    return json(openApiOf(shown.contract, shown.version, format === 'OpenAPI 3.2' ? '3.2' : '3.1'));
  };

  return (format, version, leftOut) =>
    texts.of(keyOf(format, version, leftOut), () => textOf(format, version, leftOut));
}

const versionOf = ({ versions }: Contract, name: string | null) =>
  name === null ? versions[0] : versions.find((one) => one.name === name);

const keyOf = (format: DescriptionFormat, version: string | null, leftOut: LeftOut | undefined): string =>
  JSON.stringify([format, version, leftOut ? [[...leftOut.uncalled], [...leftOut.concealed]] : null]);

/** The most characters of descriptions that are kept: those of a hundred audiences, of 150 kB each. */
const MOST_KEPT = 16 * 1024 * 1024;

/** Texts that are made once. The texts not used for longest are forgotten when all take too much memory. */
class Texts {
  private readonly kept = new Map<string, string>();
  private size = 0;

  of(key: string, make: () => string | null): string | null {
    const known = this.kept.get(key);
    const text = known ?? make();
    if (text === null) return null;
    // A text that is used again comes last.
    this.kept.delete(key);
    this.kept.set(key, text);
    if (known === undefined) this.forget(text.length, key);
    return text;
  }

  private forget(added: number, newest: string): void {
    this.size += added;
    for (const [key, { length }] of this.kept) {
      if (this.size <= MOST_KEPT || key === newest) return;
      this.kept.delete(key);
      this.size -= length;
    }
  }
}
