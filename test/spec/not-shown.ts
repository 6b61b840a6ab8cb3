/** What the documents mark as not shown: where, what, and the decision taken. */
export const notShown: readonly (readonly [where: string, open: string, decision: string])[] = [
  ['protocol / States', 'transitions of VPSes and users', 'seeded as data; nothing moves them'],
];
