import type { AnswerContract, EndpointContract } from './endpoint.ts';

/** Why an answer is a success; of several answers, the conditions of each follow in parentheses. */
export const SUCCEEDED = 'the request succeeded';

/** The answers of an endpoint to requests that succeed, in the order of the document: one, or several. */
export const successesOf = ({ answers }: EndpointContract): readonly AnswerContract[] =>
  answers.filter(({ because }) => because.kind === 'success');

/** The status of each answer to a request that succeeds, once. */
export const successStatuses = (endpoint: EndpointContract): readonly number[] => [
  ...new Set(successesOf(endpoint).map(({ status }) => status)),
];
