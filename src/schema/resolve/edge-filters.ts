// Detects reverse edges whose filter the API ignores.
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

/** Detects edges of one schema whose filter the API ignores, or whose value it replaces by the ID of the caller's own object. */
export class EdgeFilters {
  readonly #report: Report;
  readonly #reported = new Set<string>();

  /** @param report Receives one finding for each edge whose filter is ignored. */
  constructor(report: Report) {
    this.#report = report;
  }

  /**
   * Creates a function that throws an UpstreamProtocolError if a row belongs to another object.
   * @param id ID of the object on which the edge is selected.
   * @param isEvidence Whether rows prove something about the edge's own filter. A filter that the caller adds may widen the list.
   */
  createCheck(filter: EdgeFilter, id: string, isEvidence: boolean): (rows: readonly JsonObject[]) => void {
    return (rows) => {
      if (rows.every((row) => mayBelongTo(row, filter.association, id))) return;
      if (isEvidence) this.#reportIgnored(filter);
      throw ignoredError(filter);
    };
  }

  #reportIgnored({ edge, action, parameter }: EdgeFilter): void {
    if (this.#reported.has(edge)) return;
    this.#reported.add(edge);
    this.#report.addLate(
      'FILTER_IGNORED',
      `${action} input.${parameter}`,
      `the API returns rows of other objects for this filter, so ${edge} returns an error; remove the field with the overrides: "dropEdges": ["${edge}"]`,
    );
  }
}

const ignoredError = ({ action, parameter }: EdgeFilter): UpstreamProtocolError =>
  new UpstreamProtocolError(
    `The management API ignores the filter ${parameter} of this list and returns rows of other objects; no rows are shown.`,
    { action },
  );

/** Whether a row belongs to an object. A row with an absent or hidden association may. */
function mayBelongTo(row: JsonObject, association: Parameter, id: string): boolean {
  const value = row[association.name];
  if (value === undefined) return true;
  if (!isObject(value)) return String(value) === id;
  const valueId = association.type === 'Resource' ? association.valueId : '';
  return !(valueId in value) || String(value[valueId]) === id;
}
