import { LRUCache } from 'lru-cache';
import type { ResourceParameter } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Report } from '../model/report.ts';

/** The filter that a reverse edge sets. */
export interface EdgeFilter {
  /** Coordinate of the edge, as overrides name it, e.g. `Author.books`. */
  readonly edge: string;
  /** Scope of the list, e.g. `book#index`. */
  readonly action: string;
  readonly parameter: string;
  /** The association by which rows tell whose they are. */
  readonly association: ResourceParameter;
}

/** One use of an edge. */
export interface EdgeUse {
  readonly callerKey: string;
  /** Id of the object that the edge stands on. */
  readonly id: string;
  /** Whether the caller filters further. Another filter may widen the list, so its rows prove nothing for others. */
  readonly isFilteredFurther: boolean;
}

/** Callers and edges for which the one object is remembered whose rows are answered. */
const MAX_SUBSTITUTES = 1000;

/**
 * What is known of the filters of one schema's reverse edges. Servers ignore filters silently, or replace them by the
 * caller's own id. Only rows that the server sent prove it, and it holds while the schema is served: for every caller when one
 * answer has rows of several objects, since then nothing is filtered; else for the caller, whose own object still works.
 */
export class EdgeFilters {
  readonly #report: Report;
  readonly #ignored = new Set<string>();
  readonly #substitutes = new LRUCache<string, string>({ max: MAX_SUBSTITUTES });
  readonly #reported = new Set<string>();

  /** @param report Gets a finding for each edge whose filter is ignored, once. */
  constructor(report: Report) {
    this.#report = report;
  }

  /**
   * Guards the rows of an edge.
   * @returns Checks the rows of an answer. @throws UpstreamProtocolError when one belongs to another object.
   * @throws UpstreamProtocolError at once, and in the same words, where the filter is known to be ignored.
   */
  guard(filter: EdgeFilter, use: EdgeUse): (rows: readonly JsonObject[]) => void {
    const { callerKey, id, isFilteredFurther } = use;
    const substitute = this.#substitutes.get(substituteKey(filter, callerKey));
    if (this.#ignored.has(filter.edge) || (substitute !== undefined && substitute !== id))
      throw ignoredError(filter);
    return (rows) => {
      const owners = ownersOf(rows, filter.association);
      if (owners.every((owner) => owner === id)) return;
      if (!isFilteredFurther) this.#learn(filter, callerKey, owners);
      throw ignoredError(filter);
    };
  }

  #learn(filter: EdgeFilter, callerKey: string, [owner = '', ...others]: readonly string[]): void {
    const key = substituteKey(filter, callerKey);
    const substitute = this.#substitutes.get(key) ?? owner;
    if (others.length > 0 || owner !== substitute) this.#ignored.add(filter.edge);
    else this.#substitutes.set(key, owner);
    if (this.#reported.has(filter.edge)) return;
    this.#reported.add(filter.edge);
    this.#report.addLate(
      'FILTER_IGNORED',
      `${filter.action} input.${filter.parameter}`,
      `the API answers rows of other objects to this filter, so ${filter.edge} answers with an error; leave the field out by the overrides: "dropEdges": ["${filter.edge}"]`,
    );
  }
}

const substituteKey = ({ edge }: EdgeFilter, callerKey: string): string => `${callerKey} ${edge}`;

const ignoredError = ({ action, parameter }: EdgeFilter): UpstreamProtocolError =>
  new UpstreamProtocolError(
    `The management API ignores the filter ${parameter} of this list and answers rows of other objects; none are shown.`,
    { action },
  );

/** The ids of the objects that rows belong to, each once. Rows that do not tell, or hide it, have none. */
function ownersOf(rows: readonly JsonObject[], { name, valueId }: ResourceParameter): readonly string[] {
  const owners = new Set<string>();
  for (const row of rows) {
    const value = row[name];
    if (value === undefined || (isObject(value) && !(valueId in value))) continue;
    owners.add(String(isObject(value) ? value[valueId] : value));
  }
  return [...owners];
}
