// Detects reverse edges whose filter the API ignores.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Report } from '../model/report.ts';

/** The filter parameter that a reverse edge sets. */
export interface EdgeFilter {
  /** Schema coordinate of the edge, e.g. `Author.books`. */
  readonly edge: string;
  /** Scope of the list action, e.g. `book#index`. */
  readonly action: string;
  readonly parameter: string;
  /** The output that contains the object to which a row belongs, or its id. */
  readonly association: Parameter;
}

/** One use of an edge. */
export interface EdgeUse {
  readonly callerKey: string;
  /** ID of the object on which the edge is selected. */
  readonly id: string;
  /** Whether rows prove something about the edge's own filter. A filter that the caller adds may widen the list. */
  readonly isEvidence: boolean;
}

/** Makes a cache that forgets after ten minutes, because the server may be repaired. */
const createCache = <V extends string | true>() =>
  new LRUCache<string, V>({ ...atMost(1000), ...expireAfter(10 * 60_000) });

/**
 * Records which reverse edges of one schema have a filter that does not work. Some servers ignore a filter silently; others
 * replace its value with the caller's own ID. Only returned rows prove this, and the record lasts ten minutes.
 * Rows of several objects in one response mean that the server ignores the filter for every caller. Rows of one other
 * object mean that the server substitutes this object for the caller, so the edge still works on this object.
 */
export class EdgeFilters {
  readonly #report: Report;
  readonly #ignored = createCache<true>();
  readonly #substitutes = createCache<string>();
  readonly #reported = new Set<string>();

  /** @param report Receives one finding for each edge whose filter is ignored. */
  constructor(report: Report) {
    this.#report = report;
  }

  /**
   * Creates a function that checks the rows of an edge and throws an UpstreamProtocolError if one belongs to another object.
   * @throws UpstreamProtocolError when the filter is already known to be ignored.
   */
  createCheck(filter: EdgeFilter, use: EdgeUse): (rows: readonly JsonObject[]) => void {
    const { callerKey, id, isEvidence } = use;
    const substitute = this.#substitutes.get(substituteKey(filter, callerKey));
    if (this.#ignored.has(filter.edge) || (substitute !== undefined && substitute !== id))
      throw ignoredError(filter);
    return (rows) => {
      const owners = ownersOf(rows, filter.association);
      if (owners.every((owner) => owner === id)) return;
      if (isEvidence) this.#recordIgnored(filter, callerKey, owners);
      throw ignoredError(filter);
    };
  }

  #recordIgnored(filter: EdgeFilter, callerKey: string, [owner = '', ...others]: readonly string[]): void {
    const key = substituteKey(filter, callerKey);
    const substitute = this.#substitutes.get(key) ?? owner;
    if (others.length > 0 || owner !== substitute) this.#ignored.set(filter.edge, true);
    else this.#substitutes.set(key, owner);
    if (this.#reported.has(filter.edge)) return;
    this.#reported.add(filter.edge);
    this.#report.addLate(
      'FILTER_IGNORED',
      `${filter.action} input.${filter.parameter}`,
      `the API returns rows of other objects for this filter, so ${filter.edge} returns an error; remove the field with the overrides: "dropEdges": ["${filter.edge}"]`,
    );
  }
}

const substituteKey = ({ edge }: EdgeFilter, callerKey: string): string => `${callerKey} ${edge}`;

const ignoredError = ({ action, parameter }: EdgeFilter): UpstreamProtocolError =>
  new UpstreamProtocolError(
    `The management API ignores the filter ${parameter} of this list and returns rows of other objects; no rows are shown.`,
    { action },
  );

/** Returns the distinct IDs of the objects to which rows belong. Rows with an absent or hidden association are skipped. */
function ownersOf(rows: readonly JsonObject[], association: Parameter): readonly string[] {
  const { name } = association;
  const valueId = association.type === 'Resource' ? association.valueId : '';
  const owners = new Set<string>();
  for (const row of rows) {
    const value = row[name];
    if (value === undefined || (isObject(value) && !(valueId in value))) continue;
    owners.add(String(isObject(value) ? value[valueId] : value));
  }
  return [...owners];
}
