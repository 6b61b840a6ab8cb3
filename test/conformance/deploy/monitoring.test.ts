// Tests the dashboard and the alert rules: they are valid, refer to metrics that exist, and the operator's book explains them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/plugins/metrics/metrics.ts';

const FOLDER = new URL('../../../deploy/', import.meta.url);
const text = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(text('grafana-dashboard.json')) as { readonly panels: readonly Panel[] };
const { groups } = parse(text('alerts.yaml')) as {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
};
const expressions: readonly (readonly [string, string])[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [`panel ${title}`, expr] as const),
  ),
  ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const)),
];

/** The metrics that an expression reads, and the places where it is no PromQL. */
function read(expression: string) {
  const plain = expression.replaceAll('$__rate_interval', '5m');
  const metrics = new Set<string>();
  const errors: string[] = [];
  parser.parse(plain).iterate({
    enter: ({ name, from, to, type }) => {
      if (type.isError) errors.push(plain.slice(from, to + 20));
      if (name === 'Identifier') metrics.add(plain.slice(from, to));
    },
  });
  return { metrics, errors };
}

describe('each expression', async () => {
  const metrics = await createMetrics('1.0.0', () => null).text();
  // `up` is Prometheus' own.
  const known = new Set(['up', ...[...metrics.matchAll(/^# HELP (\w+)/gm)].map(([, name = '']) => name)]);
  it.each(expressions)('of %s reads metrics that exist', (_where, expression) => {
    const { metrics: used, errors } = read(expression);
    expect(errors).toEqual([]);
    expect(used).not.toEqual(new Set());
    const bases = [...used].map((name) => name.replace(/_(?:bucket|count|sum)$/, ''));
    expect(bases.filter((name) => !known.has(name))).toEqual([]);
  });
});

it('the dashboard has panels with ids of their own that do not overlap', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

const readDocument = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const book = readDocument('operating.md');

it("the operator's book has a heading for each alert", () => {
  const headings = [...book.matchAll(/^### (Optiongraph\w+)$/gm)].map(([, name]) => name);
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(headings.sort()).toEqual(alerts.sort());
});

it("the operator's book explains each setting of a limit", () => {
  const [, limits = ''] = /^### Limits\n(.*?)<!-- end -->/ms.exec(readDocument('configuration.md')) ?? [];
  const keys = [...limits.matchAll(/^\| `(limits\.\w+)`/gm)].map(([, key = '']) => key);
  expect(keys.length).toBeGreaterThan(9);
  expect(keys.filter((key) => !book.includes(`\`${key}\``))).toEqual([]);
});

const hasPromtool = existsSync('/usr/bin/promtool');
if (!hasPromtool) console.warn('SKIPPED: there is no promtool, so the alert rules are not run');

it.skipIf(!hasPromtool)('the alerts fire as their tests say', () => {
  const file = fileURLToPath(new URL('alerts.test.yaml', FOLDER));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 });
});
