// Tests the layout of log lines for people.
import { expect, it } from 'vitest';
import { layOutLine } from '../../../src/cli/serve/open-log.ts';
import { createLog } from '../../../src/log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void, hasColors = false): string {
  const lines: string[] = [];
  write(createLog((line) => lines.push(layOutLine(line, hasColors))));
  return lines.join('');
}

it('has the local time, the level, the message and the fields, without those of the process', () => {
  expect(logged((log) => log.warn('a list is slow', { ms: 5, actions: ['book#index'] }))).toMatch(
    /^\[\d\d:\d\d:\d\d\] WARN: a list is slow \{"ms":5,"actions":\["book#index"\]\}\n$/,
  );
  expect(logged((log) => log.info('started'))).toMatch(/^\[[\d:]{8}\] INFO: started\n$/);
});

it('puts the stack of an error on lines below it', () => {
  const [head, first, second] = logged((log) => log.error('it failed', new Error('broken'))).split('\n');
  expect(head).toMatch(/ERROR: it failed \{"cause":"Error: broken"\}$/);
  expect(first).toBe('    Error: broken');
  expect(second).toMatch(/^ {8}at /);
});

it('leaves breaks in fields escaped, so that they forge no line', () => {
  expect(logged((log) => log.info('found', { name: 'a\n[00:00:00] ERROR: b' })).split('\n')).toHaveLength(2);
});

it('colours the level where the terminal has colours', () => {
  expect(logged((log) => log.error('it failed'), true)).toContain('\u001b[31mERROR\u001b[39m: it failed');
});
