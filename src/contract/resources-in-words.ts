import { type FieldWords, wordFor, wordsIn } from '../plan/words.ts';
import type { ResourceContract, StatesContract, VersionContract } from './contract.ts';
import { heldStates, machinesOf } from './machines.ts';
import { inWords } from './values.ts';

/** Resources with the words of a version for values and states. Expressions keep the values of the current version. */
export function resourcesInWords(
  resources: readonly ResourceContract[],
  version: Pick<VersionContract, 'words'>,
): readonly ResourceContract[] {
  if (!version.words) return resources;
  return resources.map((resource) => {
    const wordsOf = (field: string): FieldWords | null => wordsIn(version, `${resource.name}.${field}`);
    return {
      ...resource,
      fields: resource.fields.map((field) => ({ ...field, type: inWords(field.type, wordsOf(field.name)) })),
      ...heldStates(machinesOf(resource).map((machine) => machineInWords(machine, wordsOf(machine.field)))),
    };
  });
}

/** The states of a field with the words of a version; states with the same word are one. */
function machineInWords(machine: StatesContract, words: FieldWords | null): StatesContract {
  if (!words) return machine;
  const word = (state: string): string => wordFor(words, state);
  const all = (states: readonly string[]): string[] => [...new Set(states.map(word))];
  return {
    ...machine,
    values: all(machine.values),
    initial: word(machine.initial),
    final: all(machine.final),
    transitions: machine.transitions.map((one) => ({ ...one, from: all(one.from), to: word(one.to) })),
  };
}
