// Finds what the server does while its event loop is blocked, in a CPU profile of node.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Block } from '../server-process.ts';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    /** From 0. */
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** Microseconds. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The blocks that are described, the longest first. */
const DESCRIBED = 4;
/** The part of a block, and the calls within calls, that are still shown. */
const SHARE = 0.1;
const DEPTH = 30;

/** Describes the longest blocks of a profile as trees of calls, with the milliseconds of each. */
export function describeBlocks(file: string, blocks: readonly Block[]): string {
  const profile: Profile = JSON.parse(readFileSync(file, 'utf8'));
  const longest = [...blocks].sort((a, b) => ownTime(b) - ownTime(a)).slice(0, DESCRIBED);
  const sum = blocks.reduce((total, block) => total + ownTime(block), 0);
  return [
    `${blocks.length} blocks, ${toMs(sum)} ms in all`,
    ...longest.map((block) => describeBlock(profile, block)),
  ].join('\n\n');
}

/** Microseconds of a block without those for which the process had no core. */
export const ownTime = ({ from, to, waited }: Block): number => to - from - waited;

const toMs = (microseconds: number): number => Math.round(microseconds / 1_000);

function describeBlock(profile: Profile, block: Block): string {
  const { from, to, waited } = block;
  const own = new Map<number, number>();
  let at = profile.startTime;
  profile.samples.forEach((id, index) => {
    at += profile.timeDeltas[index] ?? 0;
    if (at > from && at <= to) own.set(id, (own.get(id) ?? 0) + (profile.timeDeltas[index + 1] ?? 0));
  });
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const total = new Map<number, number>();
  const childrenOf = ({ children = [] }: ProfileNode): ProfileNode[] =>
    children.map((id) => nodes.get(id)).filter((one) => one !== undefined);
  const add = (node: ProfileNode): number => {
    const known = total.get(node.id);
    if (known !== undefined) return known;
    const time = childrenOf(node).reduce((sum, child) => sum + add(child), own.get(node.id) ?? 0);
    total.set(node.id, time);
    return time;
  };
  const lines: string[] = [`a block of ${toMs(ownTime(block))} ms, and ${toMs(waited)} ms without a core`];
  const write = (node: ProfileNode, outer: readonly string[]): void => {
    const time = add(node);
    if (time < (to - from) * SHARE || outer.length > DEPTH) return;
    const name = nameOf(node);
    // Recursive calls are shown once.
    const isShown = outer.includes(name);
    if (!isShown) lines.push(`${'  '.repeat(outer.length)}${toMs(time)} ms ${name}`);
    const inner = isShown ? outer : [...outer, name];
    for (const child of childrenOf(node).sort((a, b) => add(b) - add(a))) write(child, inner);
  };
  const [root] = profile.nodes;
  if (root !== undefined) write(root, []);
  return lines.join('\n');
}

/** The name of a function, with the place of its source. */
function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (!url.startsWith('file:')) return `${name} ${url}`;
  const { module, line } = findModule(url, lineNumber);
  return `${name} ${module}:${line}`;
}

/** Lines of bundled files. */
const files = new Map<string, readonly string[]>();

const read = (path: string): readonly string[] => {
  const lines = files.get(path) ?? readFileSync(path, 'utf8').split('\n');
  files.set(path, lines);
  return lines;
};

/** The module of a line of a bundled file, which esbuild names before it, and the line in that module if it has the same text. */
function findModule(url: string, lineNumber: number): { readonly module: string; readonly line: number } {
  const lines = read(fileURLToPath(url));
  let start = lineNumber;
  while (start > 0 && !/^\/\/ \S+\.[cm]?[jt]sx?$/.test(lines[start] ?? '')) start -= 1;
  const module = /^\/\/ (\S+)$/.exec(lines[start] ?? '')?.[1];
  if (module === undefined) return { module: url, line: lineNumber + 1 };
  // Types are left out of the bundle, so that only the beginning of the line is the same.
  const head = /^\s*(?:export )?[^(=]*[(=]?/.exec(lines[lineNumber] ?? '')?.[0].trim() ?? '';
  const found = read(module).findIndex((one) => one.replace('export ', '').trim().startsWith(head));
  return { module, line: found === -1 ? lineNumber - start : found + 1 };
}
