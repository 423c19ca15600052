import { compile } from '../../compiler/compile.ts';
import { type ApplyArguments, applyTo } from './apply.ts';
import type { ArgumentSchema, ObjectSchema } from './arguments.ts';
import { checkText } from './check.ts';
import { contractText, explainEndpoint } from './endpoints.ts';
import type { Host } from './host.ts';
import { linesOf, pageOf } from './pages.ts';
import { openReport } from './questions.ts';
import { explainCode, explainWord } from './reference.ts';
import { Refusal } from './refusal.ts';
import { testSummary } from './run-test.ts';

/** A tool for agents. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: ObjectSchema['properties'];
  readonly required: readonly string[];
  /** Whether the tool changes nothing. */
  readonly readOnly: boolean;
  /** Whether the tool sends requests to a service outside of this process. */
  readonly openWorld?: true;
  readonly run: (args: never, host: Host, signal: AbortSignal) => string | Promise<string>;
}

const FILE: ArgumentSchema = {
  type: 'string',
  description: 'path of the document below the folder of the server, such as service.md',
};
const ENDPOINT: ArgumentSchema = {
  type: 'string',
  description: 'method and path as in the heading, such as POST /orders',
};
const PAGE: ArgumentSchema = { type: 'integer', minimum: 1, description: 'page of a long answer, from 1' };
const EDIT: ObjectSchema['properties'] = {
  from: { type: 'integer', minimum: 0 },
  to: { type: 'integer', minimum: 0 },
  text: { type: 'string' },
};

const check: Tool = {
  name: 'check',
  title: 'Check a document',
  description:
    'Lists what a document leaves open: a summary, then each error and question in short. With code, the findings of that code in full, with their lines.',
  properties: {
    file: FILE,
    text: { type: 'string', description: 'the text of a document, in place of file' },
    code: { type: 'string', description: 'a code such as limits/time-outs' },
    page: PAGE,
  },
  required: [],
  readOnly: true,
  run: (
    { file, text, code, page = 1 }: { file?: string; text?: string; code?: string; page?: number },
    { documents },
  ) => {
    if ((file === undefined) === (text === undefined)) throw new Refusal('Give either file or text.');
    return checkText(file === undefined ? compile('text', text ?? '') : documents.open(file).compiled, code, page);
  },
};

const nextQuestions: Tool = {
  name: 'next_questions',
  title: 'Next questions',
  description:
    'The next findings of a document, in the order in which to answer them: what is asked, where, an example of what to write, and tried answers to choose from. Nothing is chosen for you: ask the person where you do not know the answer.',
  properties: {
    file: FILE,
    count: { type: 'integer', minimum: 1, maximum: 10, description: 'how many, 3 unless given' },
    skip: { type: 'integer', minimum: 0, description: 'how many to skip' },
  },
  required: ['file'],
  readOnly: true,
  run: ({ file, count = 3, skip = 0 }: { file: string; count?: number; skip?: number }, { documents }) =>
    JSON.stringify(openReport(documents.open(file).compiled, skip, count)),
};

const apply: Tool = {
  name: 'apply',
  title: 'Apply an answer',
  description:
    'Changes a document by one answer: question with choice (of next_questions), question with text (a statement of your own), replace, or edit. Refuses an answer that brings an error, and says why; an error elsewhere that the answer only reveals is the next question. Returns the changed lines and the next question. begin: true writes the empty form of a new document.',
  properties: {
    file: FILE,
    version: { type: 'string', description: 'version of the document as last read; needed with choice and edit' },
    question: { type: 'string', description: 'name of the question, such as limits/time-outs:40' },
    choice: { type: 'integer', minimum: 1, description: 'number of a tried answer of the question' },
    text: {
      type: 'string',
      description: 'the answer as whole lines: bullets, rows, steps, or a heading with its section',
    },
    replace: {
      type: 'object',
      description: 'replaces text that the document has once',
      properties: { old: { type: 'string' }, text: { type: 'string' } },
      required: ['old', 'text'],
      additionalProperties: false,
    },
    edit: {
      type: 'object',
      description: 'replaces from one offset to the other, in UTF-16 units, where each line ends with LF alone',
      properties: EDIT,
      required: ['from', 'to', 'text'],
      additionalProperties: false,
    },
    begin: { type: 'boolean', description: 'true: write the empty form to a file that does not exist' },
  },
  required: ['file'],
  readOnly: false,
  run: (args: ApplyArguments, { documents }) => JSON.stringify(applyTo(documents, args)),
};

const explain: Tool = {
  name: 'explain',
  title: 'Explain',
  description:
    'Explains a code of a finding (limits/time-outs), a statement or word of the language (Idempotency, Find), or, with file, what an endpoint (POST /orders) will run, step by step.',
  properties: {
    about: { type: 'string', description: 'a code, a word of the language, or an endpoint' },
    file: FILE,
    page: PAGE,
  },
  required: ['about'],
  readOnly: true,
  run: ({ about, file, page = 1 }: { about: string; file?: string; page?: number }, { documents }) => {
    if (file !== undefined) return pageOf(linesOf(explainEndpoint(documents.open(file).compiled, about)), page);
    if (/^[A-Z]+ \//.test(about)) throw new Refusal('The plan of an endpoint needs file.');
    const code = explainCode(about);
    return pageOf(code === null ? explainWord(about) : linesOf(code), page);
  },
};

const contract: Tool = {
  name: 'contract',
  title: 'Contract of an endpoint',
  description: 'What callers of one settled endpoint can meet: its requests, and all of its answers.',
  properties: {
    file: FILE,
    endpoint: ENDPOINT,
    version: { type: 'string', description: 'a version of the service; the current one unless given' },
    page: PAGE,
  },
  required: ['file', 'endpoint'],
  readOnly: true,
  run: (
    { file, endpoint, version, page = 1 }: { file: string; endpoint: string; version?: string; page?: number },
    { documents },
  ) => pageOf(linesOf(contractText(documents.open(file).compiled, endpoint, version)), page),
};

interface TestCall {
  readonly file: string;
  readonly url?: string;
  readonly setup?: string;
  readonly only?: string;
  readonly seed?: number;
  readonly seconds?: number;
  readonly page?: number;
}

const test: Tool = {
  name: 'test',
  title: 'Test a service',
  description:
    'Tests the service of a settled document in memory, or a service on this machine at url, and summarises which statements are kept and broken. At url, rows are created, changed and removed.',
  properties: {
    file: FILE,
    url: { type: 'string', description: 'address of a service on this machine, in place of one in memory' },
    setup: { type: 'string', description: 'JSON file with rows and callers of that service' },
    only: { type: 'string', description: 'one part, one endpoint, or the line of a statement' },
    seed: { type: 'integer', minimum: 0, maximum: 0x7fffffff, description: '1 unless given' },
    seconds: { type: 'integer', minimum: 1, maximum: 600, description: 'budget, 20 unless given' },
    page: PAGE,
  },
  required: ['file'],
  readOnly: false,
  openWorld: true,
  run: async (
    { file, url, setup, only, seed = 1, seconds = 20, page = 1 }: TestCall,
    { documents, version },
    signal,
  ) => {
    // A setup that is a module would run code.
    const json = setup === undefined ? undefined : documents.jsonPath(setup);
    const of = { url, setup: json, only, seed, seconds, version };
    return pageOf(await testSummary(documents.open(file).compiled, of, signal), page);
  },
};

/** The tools, in the order in which an agent meets them. */
export const TOOLS: readonly Tool[] = [check, nextQuestions, apply, explain, contract, test];
