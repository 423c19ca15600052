import type { Plan, ValueRule } from '../../plan/step.ts';
import { FREE } from '../../plan/value-forms.ts';
import { type FieldWords, wordsText } from '../../plan/words.ts';
import {
  computedValidator,
  formValidator,
  patchValidator,
  textParameter,
  type Validated,
  type Validator,
  validator,
} from '../../validation/validate.ts';
import { once } from './once.ts';

/** The checks of values that a plan states, each compiled once: that costs far more than to run it. */
export class Checks {
  private readonly wire: Plan['wire'];
  private readonly values = new Map<ValueRule, Validator>();
  private readonly claims = new Map<ValueRule, Validator>();
  private readonly forms = new Map<ValueRule, Validator>();
  private readonly patches = new Map<ValueRule, Validator>();
  private readonly computations = new Map<ValueRule, Validator>();
  private readonly worded = new Map<FieldWords, Map<boolean, ValueRule>>();
  private readonly loose = new Map<ValueRule, ValueRule>();
  /** The checks of texts, by the splitting of lists, then by the rule. */
  private readonly texts = new Map<Split, Map<ValueRule, (raw: string) => Validated>>();

  constructor(wire: Plan['wire']) {
    this.wire = wire;
  }

  /** A rule of the same type that allows every value. */
  unbounded(rule: ValueRule): ValueRule {
    return once(this.loose, rule, () => ({
      ...FREE,
      kind: rule.kind,
      scale: rule.scale,
      items: rule.items && this.unbounded(rule.items),
      keys: rule.keys && this.unbounded(rule.keys),
    }));
  }

  /** A rule for the words of a version in place of the values of a field; `inBody`: those that a body may have. */
  inWords(rule: ValueRule, words: FieldWords, inBody: boolean): ValueRule {
    const rules = once(this.worded, words, () => new Map());
    return once(rules, inBody, () => ({ ...rule, oneOf: wordsText(words, inBody) }));
  }

  /** The check of a value of JSON. */
  value(rule: ValueRule): Validator {
    return once(this.values, rule, () => validator(rule, this.wire));
  }

  /** The check of a value of a form. */
  form(rule: ValueRule): Validator {
    return once(this.forms, rule, () => formValidator(rule, this.wire));
  }

  /** The check of a claim, whose text counts as the issuer has written it. */
  claim(rule: ValueRule): Validator {
    return once(this.claims, rule, () => validator(rule, { ...this.wire, text: 'as sent', emptyText: 'kept' }));
  }

  /** The validator of a JSON Merge Patch value, which is merged with the stored value. */
  patch(rule: ValueRule): Validator {
    return once(this.patches, rule, () => patchValidator(rule, this.wire));
  }

  /** The validator of values that an expression computes, or that are stored. */
  computed(rule: ValueRule): Validator {
    return once(this.computations, rule, () => computedValidator(rule));
  }

  /** The check of text in a path, a query or a header; `split` separates the items of a list. */
  text(rule: ValueRule, split?: Split): (raw: string) => Validated {
    const checks = once(this.texts, split, () => new Map());
    return once(checks, rule, () => textParameter(rule, this.wire, split));
  }
}

type Split = Parameters<typeof textParameter>[2];
