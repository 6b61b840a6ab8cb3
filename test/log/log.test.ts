// Tests the format of log lines.
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/log/log.ts';

describe('a log line', () => {
  it('has no control characters, whatever names the upstream uses', () => {
    const lines: string[] = [];
    const log = createLog((line) => lines.push(line));
    log.warn('left out "a\nb\r\u001b[31m2026-01-01 error forged"');
    expect(lines.join('')).toMatch(/^\S+Z warn left out "a.b..\[31m2026-01-01 error forged"\n$/u);
    expect(lines.join('').split('\n')).toHaveLength(2);
  });

  it('of an internal error has its stack, with one line for each frame', () => {
    const lines: string[] = [];
    createLog((line) => lines.push(line)).error('it failed', new Error('why'));
    expect(lines.join('')).toMatch(/^\S+Z error it failed: Error: why\n {4}at .+\n {4}at /);
  });
});
