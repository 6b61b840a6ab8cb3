import type { Row } from './row.ts';

/** The rows of the document on the protocol. */
export const protocolRows: readonly Row[] = [];
