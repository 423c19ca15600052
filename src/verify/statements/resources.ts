import type { Fault } from '../../plan/conditions.ts';
import { type RuleKind, type StatementId, statementId } from '../../plan/lines.ts';
import type { PartItem } from '../../plan/parts.ts';
import type { ColumnPlan, ResourcePlan, UniquePlan } from '../../plan/rows.ts';
import type { Plan } from '../../plan/step.ts';
import { type Reach, setupOf } from './reach.ts';
import { type Draft, type Need, need, needAny, those } from './statement.ts';
import { allowedNeeds, formatNeeds, ruleInForm, typeNeeds } from './values.ts';

/**
 * The statements of the part Resources that callers can observe: fields, shown forms, visibility, rules of rows,
 * references.
 */
export function resourceDrafts(plan: Plan, reach: Reach): Draft[] {
  return plan.resources.flatMap((resource) => [
    ...headingDrafts(resource, reach),
    ...resource.columns.flatMap((column) => columnDrafts(resource, column, reach)),
    ...derivedDrafts(resource, reach),
    ...viewDrafts(resource, reach),
    ...ruleDrafts(resource, reach),
    ...referenceDrafts(resource, plan, reach),
    ...auditDrafts(resource, plan, reach),
  ]);
}

/** The statements that a resource exists, and who may see its rows. */
function headingDrafts({ name, columns, visible, views }: ResourcePlan, reach: Reach): Draft[] {
  const shown = views.filter((view) => view.members.length > 0 && reach.shows(name, view.name));
  const requested = columns.filter((column) => reach.inRequests(name, column.name));
  const shownTraces = shown.map((view) => ({
    statement: view.name === name ? statementId.resource(name, 'shown') : statementId.view(name, view.name),
    what: 'shown',
  }));
  const met = needAny('a row is shown, or made of a request', [
    ...shownTraces,
    ...requested.map((column) => ({ statement: statementId.field(name, column.name), what: 'accepted' })),
  ]);
  const item = 'resources/resources';
  const seen: Draft = {
    id: statementId.resource(name, 'visible'),
    item,
    needs: [
      needAny(
        'rows that the caller may see are present',
        [{ statement: statementId.resource(name, 'visible'), what: 'seen' }, ...shownTraces],
        reach.rowSetup(name),
      ),
      need(
        'rows that the caller may not see are absent',
        statementId.resource(name, 'visible'),
        'hidden',
        reach.rowSetup(name),
      ),
      ...reach
        .conditionalSchemes(name)
        .map(({ name: scheme, ...from }) =>
          need(
            `credentials of “${scheme}” are refused while their row is hidden from itself`,
            statementId.resource(name, 'visible'),
            `no caller by ${scheme}`,
            setupOf(from),
          ),
        ),
    ],
  };
  return [
    ...(met.traces.length > 0 ? [{ id: statementId.resource(name, 'name'), item, needs: [met] } as const] : []),
    // The statement that everyone sees every row is met by any answer that shows a row.
    ...(visible ? [seen] : shown.length > 0 ? [{ ...seen, needs: seen.needs.slice(0, 1) }] : []),
  ];
}

/** A field’s row states several items: that the field is there, its type, its format, and its allowed values. */
function columnDrafts(resource: ResourcePlan, column: ColumnPlan, reach: Reach): Draft[] {
  const id = statementId.field(resource.name, column.name);
  const requested = reach.inRequests(resource.name, column.name);
  const formats = formatNeeds(id, column.rule);
  const rule = requested?.json === false ? ruleInForm(column.rule) : column.rule;
  const shown = (what: string): Need[] =>
    reach.showsField(resource.name, column.name)
      ? [need(`an answer shows a value of the ${what}`, id, 'shown', reach.rowSetup(resource.name))]
      : [];
  const draft = (item: PartItem, needs: readonly Need[]): Draft[] => (needs.length > 0 ? [{ id, item, needs }] : []);
  return [
    ...draft('resources/fields', presenceNeeds(resource, column, reach)),
    ...draft('resources/types', [...shown('type'), ...(requested ? typeNeeds(id, column.rule, !requested.json) : [])]),
    ...(formats.length > 0 ? draft('resources/formats', [...shown('format'), ...(requested ? formats : [])]) : []),
    ...draft('resources/allowed values', requested ? allowedNeeds(id, rule, reach.emptyIsNull) : []),
  ];
}

/** The needs that answers show the field, that requests may or must contain it, and that it gets its value. */
function presenceNeeds(resource: ResourcePlan, column: ColumnPlan, reach: Reach): Need[] {
  const { nullable, otherwise, reference, sequence } = column;
  const id = statementId.field(resource.name, column.name);
  const requested = reach.inRequests(resource.name, column.name);
  const shown = reach.showsField(resource.name, column.name);
  const moments = resource.givings.some((one) => one.field === column.name) || sequence !== null;
  const given = (moments && reach.writes(resource.name)) || reach.assigns(resource.name, column.name);
  const rows = reach.rowSetup(resource.name);
  return those(
    shown && need('an answer shows it', id, 'shown', rows),
    shown && nullable && need('an answer shows a row without it', id, 'absent', rows),
    given && need('it is given its value', id, 'given', rows),
    requested && need('a request holds it', id, 'accepted'),
    requested?.whole === true &&
      !otherwise &&
      !nullable &&
      need('a request without it is refused', id, 'refused missing'),
    requested?.whole === true && !otherwise && nullable && need('a request leaves it out', id, 'left out'),
    requested?.whole === true &&
      otherwise !== null &&
      need('the else value applies when the field is absent', id, 'otherwise'),
    requested?.patch === true && need('a change leaves it out', id, 'left out'),
    requested &&
      (requested.json || reach.emptyIsNull) &&
      need(`null is ${nullable ? 'accepted' : 'refused'}`, id, nullable ? 'null' : 'refused null_refused'),
    requested !== null &&
      reference !== null &&
      need('a row that is not there is refused', id, 'refused reference_unknown' satisfies `refused ${Fault}`),
  );
}

function derivedDrafts({ name, derived }: ResourcePlan, reach: Reach): Draft[] {
  return derived
    .filter((one) => reach.showsField(name, one.name))
    .map((one) => {
      const id = statementId.field(name, one.name);
      return { id, item: 'resources/fields', needs: [need('an answer shows it', id, 'shown', reach.rowSetup(name))] };
    });
}

function viewDrafts({ name, views }: ResourcePlan, reach: Reach): Draft[] {
  return views
    .filter((view) => view.members.length > 0 && reach.shows(name, view.name))
    .map((view) => {
      const id = view.name === name ? statementId.resource(name, 'shown') : statementId.view(name, view.name);
      return {
        id,
        item: 'resources/fields',
        needs: [need('an answer shows a row so', id, 'shown', reach.rowSetup(name))],
      };
    });
}

/** The rules of a resource; where no endpoint writes rows, only the operator can meet or break them. */
function ruleDrafts(resource: ResourcePlan, reach: Reach): Draft[] {
  const { name, uniques, holds, overlaps } = resource;
  if (!reach.writes(name)) return [];
  const draft = (kind: RuleKind, index: number, cause: string | null, more?: (id: StatementId) => Need[]): Draft => {
    const id = statementId.rule(name, kind, index);
    const refused = cause === null ? [] : [need(`${cause} is refused`, id, 'refused'), ...(more?.(id) ?? [])];
    const needs = [need('a row that keeps the rule is accepted', id, 'kept'), ...refused];
    return { id, item: 'resources/allowed values', needs };
  };
  return [
    ...uniques.map((rule, i) => {
      const cause = reach.clashes(resource, rule) ? 'a second row with the same values' : null;
      return draft('unique', i, cause, (id) => uniqueNeeds(id, rule));
    }),
    ...holds.map((_, i) => draft('holds', i, 'a row that breaks the rule')),
    ...overlaps.map((_, i) => draft('overlap', i, 'a row that overlaps another')),
  ];
}

/** The further needs of a unique rule: which letters, which rows and which fields count. */
function uniqueNeeds(id: StatementId, { fields, ignoringCase, condition }: UniquePlan): Need[] {
  const others = fields.length > 1 ? fields : [];
  return those(
    ignoringCase.length > 0 &&
      need('a second row with the same text in other letters is refused', id, 'refused in other letters'),
    condition !== null &&
      need('a row with the values of one that does not count is accepted', id, 'kept beside one that does not count'),
    ...others.map((field) => need(`a row with another ${field} is accepted`, id, `kept with another ${field}`)),
  );
}

/** The statements about rows whose reference points at a row that is removed. */
function referenceDrafts({ name }: ResourcePlan, plan: Plan, reach: Reach): Draft[] {
  return plan.resources
    .filter((target) => reach.removes(target.name))
    .flatMap((target) =>
      (
        [
          [target.keptBy, 'kept', 'the removal of a row that it refers to is refused'],
          [target.takes, 'removed', 'it is removed with the row that it refers to'],
          [target.clears, 'cleared', 'the reference is cleared when the row that it refers to is removed'],
        ] as const
      ).flatMap(([rules, what, words]) =>
        rules
          .filter((rule) => rule.resource === name)
          .map((rule): Draft => {
            const id = statementId.reference(name, rule.field);
            return { id, item: 'resources/fields', needs: [need(words, id, what, reach.rowSetup(name))] };
          }),
      ),
    );
}

/** The statement that changes are recorded: answers show the entries. */
function auditDrafts({ name, audit, machines }: ResourcePlan, plan: Plan, reach: Reach): Draft[] {
  if (!audit) return [];
  const id = statementId.resource(name, 'audited');
  const { entries, fields, creation, removal } = audit;
  const views = plan.resources.find((one) => one.name === entries)?.views ?? [];
  const isShown = views.some((view) => reach.shows(entries, view.name));
  const changing = fields.filter(
    (field) =>
      reach.changes(name, [field]) || machines.some((one) => one.field === field && one.transitions.length > 0),
  );
  const rows = reach.rowSetup(name);
  const needs = those(
    creation && need('an answer shows the entry of a new row', id, 'created', rows),
    ...changing.map((field) => need(`an answer shows the entry of a change of ${field}`, id, `changed ${field}`, rows)),
    removal && reach.removes(name) && need('an answer shows the entry of a removed row', id, 'removed', rows),
  );
  const untestable = isShown ? null : `No answer shows rows of ${entries}.`;
  return [{ id, item: 'resources/resources', needs, untestable }];
}
