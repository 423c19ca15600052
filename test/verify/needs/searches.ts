import { documentText, withChange } from '../../subject.ts';
import { type Fault, lineOf } from './fault.ts';

/** Articles that are found by their words. */
export const articles = documentText('docs/documents/articles.md');
export const SEARCH = `step ${lineOf(articles, 'matching every word')}`;
const MENTIONS = `step ${lineOf(articles, 'matching any word')}`;

/** Articles whose words are compared by the stems of English. */
const stems = withChange(articles, 'in no language', 'in English');

const instead = (name: string, from: string, to: string, key = SEARCH): Fault => ({
  name,
  stated: articles,
  served: withChange(articles, from, to),
  key,
});

export const SEARCHES: readonly Fault[] = [
  instead('finds rows with any of the words', 'matching every word of', 'matching any word of'),
  instead('compares the last word as a whole', 'the last as a prefix', 'whole words'),
  instead('finds nothing without words', 'without words all rows', 'without words no rows'),
  instead('tells accents apart', 'accents ignored', 'accents distinct'),
  instead('finds words with the same stem', 'in no language', 'in English'),
  { name: 'finds words as they are alone', stated: stems, served: articles, key: SEARCH },
  instead('searches titles alone', 'title weight 4, body weight 1', 'title'),
  instead('finds rows with every word alone', 'matching any word of', 'matching every word of', MENTIONS),
  instead('finds words by their beginnings', 'whole words', 'the last as a prefix', MENTIONS),
  instead('finds everything without words', 'without words no rows', 'without words all rows', MENTIONS),
];
