import type { Node } from './node.ts';
import type { Operation } from './operations.ts';

/** Facts of a file about the items of the language, whether or not a document can say them. */
export interface Facts {
  readonly title: string;
  readonly version: string;
  readonly hasDescription: boolean;
  readonly operations: ReadonlyArray<{
    readonly hasRequest: boolean;
    readonly hasAnswer: boolean;
    /** Whether all successes are stated, and none has a body. */
    readonly hasEmptyAnswer: boolean;
    readonly hasError: boolean;
  }>;
  readonly errors: ReadonlyArray<{ readonly hasBody: boolean }>;
  readonly schemes: ReadonlyArray<{ readonly hasPlace: boolean }>;
  readonly webhooks: number;
}

/** Counts what a file states. */
export function factsOf(root: Node, operations: readonly Operation[]): Facts {
  const schemes = root.get('securityDefinitions') ?? root.find('components', 'securitySchemes');
  const isError = (status: string): boolean => /^[45]/.test(status);
  return {
    title: root.find('info')?.text('title') ?? '',
    version: `${root.get('openapi')?.value ?? root.file.version}`,
    hasDescription: Boolean(root.find('info')?.text('description') ?? root.find('info')?.text('summary')),
    operations: operations.map(({ body, inputs, answers }) => {
      const successes = answers.filter(({ status }) => /^2/.test(status));
      const hasAnswer = successes.some(({ contents }) => contents.length > 0);
      return {
        hasRequest: body !== null || inputs.some(({ place }) => place === 'formData'),
        hasAnswer,
        hasEmptyAnswer: successes.length > 0 && !hasAnswer,
        hasError: answers.some(({ status }) => isError(status)),
      };
    }),
    errors: operations.flatMap(({ answers }) =>
      answers.filter(({ status }) => isError(status)).map(({ contents }) => ({ hasBody: contents.length > 0 })),
    ),
    schemes: (schemes?.members() ?? []).map(([, node]) => ({
      hasPlace: /^(?:apiKey|http|basic)$/.test(node.resolved()?.text('type') ?? ''),
    })),
    webhooks: root.get('webhooks')?.members().length ?? 0,
  };
}
