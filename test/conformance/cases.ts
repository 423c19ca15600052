import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { Given, GivenType } from './values.ts';

/** A case of CEL's conformance suite. */
export interface Case {
  readonly name: string;
  readonly expr: string;
  readonly names: ReadonlyArray<{ readonly name: string; readonly type: GivenType }>;
  readonly bindings: Readonly<Record<string, Given>>;
  /** What it gives; null where it has to fail. */
  readonly gives: Given | null;
  /** The expression with the types that cel-go found, or what it says is wrong. */
  readonly checked: string;
  readonly unchecked: boolean;
  /** All of it as text. */
  readonly text: string;
}

interface Original {
  readonly name: string;
  readonly expr: string;
  readonly typeEnv?: ReadonlyArray<{ readonly name: string; readonly ident?: { readonly type: GivenType } }>;
  readonly bindings?: Readonly<Record<string, { readonly value: Given }>>;
  readonly value?: Given;
  readonly typedResult?: { readonly result?: Given };
  readonly evalError?: unknown;
  readonly disableCheck?: boolean;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: ReadonlyArray<{
    readonly original: Original;
    readonly checkedAst?: string;
    readonly error?: string;
  }>;
}

/** Every case, by the path of its suites. */
export function conformanceCases(): Case[] {
  return casesOf(tests as unknown as Suite, '');
}

function casesOf(suite: Suite, path: string): Case[] {
  const own = (suite.tests ?? []).map(({ original, checkedAst, error }) => ({
    name: `${path}/${original.name}`,
    expr: original.expr,
    names: (original.typeEnv ?? []).map(({ name, ident }) => ({ name, type: ident?.type ?? {} })),
    bindings: Object.fromEntries(Object.entries(original.bindings ?? {}).map(([name, { value }]) => [name, value])),
    gives: original.evalError ? null : (original.value ?? original.typedResult?.result ?? { boolValue: true }),
    checked: checkedAst ?? error ?? '',
    unchecked: original.disableCheck === true,
    text: JSON.stringify({ ...original, name: '', description: '' }),
  }));
  return [...own, ...(suite.suites ?? []).flatMap((one) => casesOf(one, path ? `${path}/${one.name}` : one.name))];
}

const PROTOBUF = 'protobuf messages, wrappers and enumerations';
const FUNCTIONS = 'functions that the language doesn’t have';

/** Suites that are about one thing alone. */
const SUITES: Readonly<Record<string, string>> = {
  proto2: PROTOBUF,
  proto3: PROTOBUF,
  proto2_ext: PROTOBUF,
  dynamic: PROTOBUF,
  enums: PROTOBUF,
  optionals: 'optional values',
  block_ext: FUNCTIONS,
  macros2: FUNCTIONS,
  encoders_ext: FUNCTIONS,
  bindings_ext: FUNCTIONS,
};

/** What tells that a case is about something else, in an expression, in its types or in its values. */
const ABOUT: ReadonlyArray<readonly [RegExp, string]> = [
  [/TestAllTypes|GlobalEnum|NestedEnum|protobuf\.(?!Timestamp|Duration)|wrapper\(|messageType":"cel/, PROTOBUF],
  [/\d[uU]\b|uint|UINT64/, 'unsigned integers'],
  [/\bbytes?\b|[bB][rR]?['"]|bytesValue|BYTES/, 'bytes'],
  [/~double|doubleValue|double\(|DOUBLE|double>|NaN|\d[eE][+-]?\d/, 'doubles'],
  [/\btype\(|typeValue|~type\(/, 'types as values'],
  [/\boptional|\.\?\w|\[\?|\{\?/, 'optional values'],
  [/\bfn\(|math\.(?:bit\w+|isNaN|isInf|isFinite|sqrt)|quote\(|['"\w]\.format\(/, FUNCTIONS],
  [/"container"|"name":"\w+\.\w/, 'names with dots'],
  [
    /map\((?:int|bool|uint|double|dyn)|keyType":\{"primitive":"(?!STRING)|\{ ?-?(?:\d|true|false)/,
    'maps whose keys are not text',
  ],
  [/\bdyn\b|~any\b|\(any\)|"ANY"/, 'values of any type'],
  [/\.\d{4,}(?:Z|s|[+-])/, 'times finer than milliseconds'],
  [/"stringValue":"[^"]*(?<!\\)\\u0000/, 'text with U+0000, which is in no text'],
];

/** Why a case says nothing of our types or functions; null for one that applies. */
export function outside(one: Case): string | null {
  const suite = SUITES[one.name.split('/')[0]!];
  if (suite) return suite;
  const about = ABOUT.find(([pattern]) => [one.expr, one.text, one.checked].some((text) => pattern.test(text)));
  if (about) return about[1];
  if (one.unchecked && one.gives) return 'what runs unchecked';
  const large = [...one.expr.matchAll(/\d{16,}|0x[0-9a-fA-F]{14,}/g)];
  return large.some(([digits]) => !Number.isSafeInteger(Number(digits))) ? 'integers beyond 2^53 − 1' : null;
}
