import { boundRows } from './bounds.ts';
import { defaultRows } from './defaults.ts';
import { endpointRow } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { filterRows } from './filters.ts';
import type { Row } from './row.ts';

/** The rows of the resource reference. */
export const referenceRows: readonly Row[] = [
  ...Object.entries(endpoints).flatMap(([section, all]) =>
    all.map((endpoint) => endpointRow(`reference / ${section}`, endpoint)),
  ),
  ...boundRows,
  ...filterRows,
  ...defaultRows,
];
