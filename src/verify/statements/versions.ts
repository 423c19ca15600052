import { answersOf, shownIn } from '../../plan/answered.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import type { PartItem } from '../../plan/parts.ts';
import type { Plan } from '../../plan/step.ts';
import type { Trace } from '../oracle/trace.ts';
import { type Draft, type Need, need, needAny, those } from './statement.ts';

/** The statements of the part Versioning. */
export function versionDrafts(plan: Plan): Draft[] {
  const { versions } = plan;
  if (!versions) return [];
  const { current, older, without, headers } = versions;
  const part = (fact: string): StatementId => statementId.part('versioning', fact);
  const draft = (fact: string, item: PartItem, ...needs: Need[]): Draft => ({ id: part(fact), item, needs });
  const answered = (name: string): Trace => ({ statement: statementId.version(name), what: 'answered' });
  const unknown: Trace = { statement: statementId.condition('version unknown'), what: 'answered' };
  const live = older.filter((one) => !one.retired);
  const deprecated = live.filter((one) => one.deprecated !== null);
  const named = needAny('a request names a version', [current, ...live.map((one) => one.name)].map(answered));
  const refused = needAny('a request names a version that there is not', [unknown]);
  const none = need(
    `a request without a version is ${typeof without === 'string' ? (without === 'refused' ? 'refused' : 'answered in the current version') : `answered in ${without.version}`}`,
    part('without'),
    without === 'refused' ? 'refused' : 'answered',
  );
  const missing: Trace = { statement: statementId.condition('version missing'), what: 'answered' };
  return [
    draft('scheme', 'versioning/scheme', named, refused),
    draft(
      'without',
      'versioning/scheme',
      without === 'refused' ? { ...none, traces: [...none.traces, missing] } : none,
    ),
    draft(
      'current',
      'versioning/current version',
      needAny('a request is answered in it', [answered(current), { statement: part('current'), what: 'answered' }]),
    ),
    ...(deprecated.length > 0 && (headers.deprecation || headers.sunset)
      ? [
          draft(
            'policy',
            'versioning/deprecation policy',
            needAny(
              'a deprecated version answers',
              deprecated.map((one) => answered(one.name)),
            ),
          ),
        ]
      : []),
    ...older.map((one): Draft => {
      const id = statementId.version(one.name);
      return {
        id,
        item: 'versioning/deprecation policy',
        needs: those(
          !one.retired && need('it answers', id, 'answered'),
          one.retired && need('it is refused', id, 'refused'),
          ...(one.retired ? [] : (one.words ?? []))
            .filter(({ field }) => isAnswered(plan, field))
            .flatMap(({ field, words }) =>
              words.flatMap(({ word, values }) =>
                values
                  .filter((value) => value !== word)
                  .map((value) => need(`it shows ${value} of ${field} as ${word}`, id, `${field} ${value} as ${word}`)),
              ),
            ),
          !one.retired && one.sunset !== null && need('it is refused from its sunset on', id, 'refused', ['clock']),
        ),
      };
    }),
  ];
}

/** Whether an answer has rows in a form that shows a field with words. */
const isAnswered = ({ resources, endpoints }: Plan, field: string): boolean =>
  endpoints.some((endpoint) =>
    answersOf(endpoint).some(({ body }) => {
      const views = body && 'view' in body ? [body.view] : shownIn(body).map(({ view }) => view);
      return views.some((view) =>
        resources
          .find(({ name }) => name === view?.resource)
          ?.views.find(({ name }) => name === view?.name)
          ?.members.some(({ value: { type } }) => type.kind === 'string' && type.owner === field),
      );
    }),
  );
