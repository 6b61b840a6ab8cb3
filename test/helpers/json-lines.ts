// Reads what programs print for other programs.

/** Parses an output of one JSON value a line. */
export const readJsonLines = (output: string) =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
