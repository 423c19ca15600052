import type { Span } from '../../syntax/span.ts';
import { everyStep, type Step } from '../statements/endpoints.ts';
import type { Model } from '../statements/model.ts';

/** The names that a document declares, as the texts of cells and statements use them. */
export class Declared {
  private readonly model: Model;

  constructor(model: Model) {
    this.model = model;
  }

  /** The codes that steps and rules may name. */
  get codes(): readonly string[] {
    const said = this.model.errors.rows.filter(({ when }) => when?.some(({ value }) => / says so$/.test(value)));
    return [...new Set((said.length ? said : this.model.errors.rows).map(({ code }) => code.text))];
  }

  get resources(): readonly string[] {
    return this.model.resources.list.map(({ name }) => name.text);
  }

  /** The fields by which rows are found, such as `Order.id`. */
  get identities(): readonly string[] {
    return this.model.resources.list.flatMap(({ name, fields }) =>
      fields.flatMap((field) => (field.unique?.value.kind === 'identity' ? [`${name.text}.${field.name.text}`] : [])),
    );
  }

  /** The names of payloads of errors. */
  get payloads(): readonly string[] {
    return this.model.errors.payloads.map(({ name }) => name.text);
  }

  /** The expressions by which members of payloads describe each fault. */
  readonly faults: readonly string[] = [
    'each `fault.message`',
    'each `fault.message` by `fault.field`',
    '`fault.message`',
    '`fault.field`',
  ];

  /** The states of a field, such as `Order.status`. */
  statesOf(path: string): readonly string[] {
    const { list } = this.model.resources;
    for (const { name, fields } of list)
      for (const field of fields)
        if (`${name.text}.${field.name.text}` === path) {
          const allowed = field.allowed?.value;
          return allowed?.kind === 'one of' ? allowed.values.map(({ text }) => text) : [];
        }
    return [];
  }

  /** The steps at an endpoint, those of its path before its own; of any other heading, its own. */
  private stepsAt(heading: Span): Step[] {
    const { endpoints, states } = this.model;
    const at = ({ span }: { readonly span: Span }): boolean => heading.from <= span.from && span.to <= heading.to;
    const endpoint = endpoints.list.find(at);
    const above = endpoints.unders.filter(({ path }) => endpoint && `${endpoint.path}/`.startsWith(`${path}/`));
    const reactions = states.machines.flatMap((machine) => machine.reactions);
    return [...above, ...[...endpoints.list, ...endpoints.unders, ...reactions].filter(at)].flatMap(({ steps }) => [
      ...everyStep(steps),
    ]);
  }

  /** The rows, lists and values that the steps of a heading name, with the verbs that name them. */
  namedAt(heading: Span): Array<{ readonly name: string; readonly verb: Step['verb'] }> {
    return this.stepsAt(heading).flatMap((step) =>
      'as' in step && step.as ? [{ name: step.as.text, verb: step.verb }] : [],
    );
  }

  /** The transitions of all states. */
  get transitions(): readonly string[] {
    return this.model.states.machines.flatMap(({ transitions }) => transitions.map(({ name }) => name.text));
  }

  /** The fields of a resource that a request may give. */
  givenByRequests(resource: string): readonly string[] {
    const found = this.model.resources.list.find(({ name }) => name.text === resource);
    return (found?.fields ?? []).flatMap(({ name, givenBy }) =>
      givenBy?.value.some(({ from }) => from === 'request') ? [name.text] : [],
    );
  }

  /** The changes of rows that an event may be about, such as `an Order moves by ship`. */
  get happenings(): readonly string[] {
    const article = (name: string): string => (/^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`);
    const moves = this.model.states.machines.flatMap(({ resource, transitions }) =>
      transitions.map(({ name }) => `${article(resource.text)} moves by ${name.text}`),
    );
    const changes = this.resources.flatMap((name) =>
      ['is created', 'is removed'].map((happens) => `${article(name)} ${happens}`),
    );
    return [...changes, ...moves];
  }
}
