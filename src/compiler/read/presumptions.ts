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
    findings.filter((finding) => finding.severity !== 'question' && open.decides(factsOf(PRESUMED, finding))),
  );
  if (held.size === 0) return { findings, held: [] };
  const deciding = open.deciding();
  const kept = findings.filter((finding) => !held.has(finding));
  return {
    findings: kept.map((one) => (deciding.has(one) ? { ...one, standing: 'deciding', endpoints: null } : one)),
    held: [...held],
  };
}

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

  /** True if a question leaves one of the facts open. */
  decides(facts: readonly string[]): boolean {
    const lists = facts.flatMap((fact) => {
      const general = unscoped(fact);
      const found = general === fact ? [this.general.get(fact)] : [this.exact.get(fact), this.exact.get(general)];
      return found.filter((list) => list !== undefined);
    });
    for (const list of lists) this.used.add(list);
    return lists.length > 0;
  }

  /** The questions that have decided. */
  deciding(): ReadonlySet<Finding> {
    return new Set([...this.used].flat());
  }
}

const unscoped = (fact: string): string => fact.replace(/ of .*$/, '');
