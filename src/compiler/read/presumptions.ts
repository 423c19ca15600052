import type { Finding } from '../../syntax/diagnostic.ts';
import { addTo } from '../../text/lists.ts';
import { type Facts, LEFT_OPEN } from './open-facts.ts';
import { PRESUMED } from './presumed-facts.ts';

const factsOf = (table: Readonly<Record<string, Facts>>, { code, params }: Finding): readonly string[] => {
  const facts = Object.hasOwn(table, code) ? table[code] : undefined;
  return typeof facts === 'function' ? facts(params) : (facts ?? []);
};

/** True if an answer to the question may lead to further questions. */
export const leadsOn = (question: Finding): boolean => factsOf(LEFT_OPEN, question).length > 0;

/**
 * `findings`: those that remain under every possible answer to the questions. `held`: those that an answer may refute,
 * which are held back.
 */
interface Presumptions {
  readonly findings: readonly Finding[];
  readonly held: readonly Finding[];
}

/**
 * Holds back each finding that presumes a fact which a question leaves open: the finding takes the open fact as stated
 * absent. The questions that leave it open concern every endpoint, as such a finding does.
 */
export function withoutPresumptions(findings: readonly Finding[]): Presumptions {
  const open = new OpenFacts(findings);
  const held = new Set(
    [...Map.groupBy(findings, namesOf).values()].flatMap((same) =>
      same.filter((finding) => finding.severity !== 'question' && open.decides(factsOf(PRESUMED, finding), same)),
    ),
  );
  if (held.size === 0) return { findings, held: [] };
  const deciding = open.deciding();
  const kept = findings.filter((finding) => !held.has(finding));
  return {
    findings: kept.map((one) => (deciding.has(one) ? { ...one, standing: 'deciding', endpoints: null } : one)),
    held: [...held],
  };
}

/**
 * The findings of which one answer may refute one alone: names of one kind that nothing declares. An answer that gives one
 * name declares one of them.
 */
const namesOf = ({ code, params, found }: Finding): string =>
  code === 'language/unknown-name' ? `${code} ${params.kind}` : `${code} ${found}`;

/** Whether an answer to the question can declare one name at most. */
const givesOneName = ({ code, params }: Finding): boolean =>
  GIVING_ONE.has(code) || (code.endsWith('/blank-cell') && NAMING.has(params.column ?? ''));

const GIVING_ONE: ReadonlySet<string> = new Set(['resources/field-unnamed', 'resources/no-identity']);
/** The columns of names. */
const NAMING: ReadonlySet<string> = new Set(['Transition', 'Code', 'Parameter', 'Event']);

/** The facts that the questions of a document leave open. */
class OpenFacts {
  /** The questions by the facts that they leave open. */
  private readonly exact = new Map<string, Finding[]>();
  /**
   * The questions by facts without their scope, so that a fact about one name, such as a resource, counts as the fact.
   */
  private readonly general = new Map<string, Finding[]>();
  private readonly used = new Set<readonly Finding[]>();

  constructor(findings: readonly Finding[]) {
    for (const finding of findings) {
      if (finding.severity !== 'question') continue;
      const facts = factsOf(LEFT_OPEN, finding);
      for (const fact of new Set(facts)) addTo(this.exact, fact, finding);
      for (const fact of new Set(facts.map(unscoped))) addTo(this.general, fact, finding);
    }
  }

  /**
   * True if a question leaves one of the facts open. The `same` findings are those that presume it alike: where the questions
   * that may declare their names are fewer than the names, some name stays undeclared whatever the answers are.
   */
  decides(facts: readonly string[], same: readonly Finding[]): boolean {
    const lists = facts.flatMap((fact) => {
      const general = unscoped(fact);
      const found = general === fact ? [this.general.get(fact)] : [this.exact.get(fact), this.exact.get(general)];
      return found.filter((list) => list !== undefined);
    });
    const questions = new Set(lists.flat());
    const names = new Set(same.map(({ found }) => found)).size;
    if (names > questions.size && [...questions].every(givesOneName)) return false;
    for (const list of lists) this.used.add(list);
    return lists.length > 0;
  }

  /** The questions that have decided. */
  deciding(): ReadonlySet<Finding> {
    return new Set([...this.used].flat());
  }
}

const unscoped = (fact: string): string => fact.replace(/ of .*$/, '');
