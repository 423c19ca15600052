import type { VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Exchange } from '../exchange.ts';

interface OnePath {
  readonly version: VersionContract;
  readonly exchanges: readonly Exchange[];
  /** The endpoints whose parameters are called as at another endpoint of their address. */
  readonly renamed: readonly string[];
}

const PARAMETER = /\{([^}]*)\}/g;

/**
 * OpenAPI takes two paths that differ in the names of their parameters alone for one: the parameters of the second are
 * called as those of the first.
 */
export function withOnePath(version: VersionContract, exchanges: readonly Exchange[]): OnePath {
  const first = new Map<string, string>();
  for (const { path } of version.endpoints) {
    const form = path.replace(PARAMETER, '{}');
    if (!first.has(form)) first.set(form, path);
  }
  const names = new Map<string, ReadonlyMap<string, string>>();
  const endpoints = version.endpoints.map((one): EndpointContract => {
    const path = first.get(one.path.replace(PARAMETER, '{}')) ?? one.path;
    if (path === one.path) return one;
    const called = new Map(namesIn(one.path).map((name, i) => [name, namesIn(path)[i] ?? name]));
    names.set(one.name, called);
    const parameters = one.parameters.map((parameter) =>
      parameter.in === 'path' ? { ...parameter, name: called.get(parameter.name) ?? parameter.name } : parameter,
    );
    return { ...one, path, parameters };
  });
  const asCalled = (one: Exchange): Exchange => {
    const called = names.get(one.endpoint);
    if (!called) return one;
    const parameters = new Map(
      [...one.request.parameters].map(([key, value]) => {
        const name = key.startsWith('path ') ? called.get(key.slice('path '.length)) : undefined;
        return [name === undefined ? key : `path ${name}`, value];
      }),
    );
    return { ...one, request: { ...one.request, parameters } };
  };
  return { version: { ...version, endpoints }, exchanges: exchanges.map(asCalled), renamed: [...names.keys()] };
}

const namesIn = (path: string): string[] => [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
