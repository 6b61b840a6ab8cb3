// Tests that the workflows and forms of a public forge are valid, workflows by their schema.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const FORGE = join(ROOT, '.github');
const text = (path: string): string => readFileSync(join(FORGE, path), 'utf8');
const workflows = readdirSync(join(FORGE, 'workflows'));

/** All steps that use an action, and all that run a command. */
const stepsOf = (name: string): readonly { readonly uses?: string; readonly run?: string }[] =>
  Object.values<{ steps: [] }>(parse(text(`workflows/${name}`)).jobs).flatMap(({ steps }) => steps);

describe.each(workflows)('%s', (name) => {
  it('is valid', () => {
    expect(validateWorkflow(text(`workflows/${name}`)).errors).toEqual([]);
  });

  it('names actions by the hash of a commit, and its rights', () => {
    const used = stepsOf(name).flatMap(({ uses }) => uses ?? []);
    expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
    expect(parse(text(`workflows/${name}`)).permissions).toEqual({ contents: 'read' });
  });

  it('puts no value from outside into the text of a command', () => {
    expect(stepsOf(name).filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  it('runs scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = stepsOf(name).flatMap(({ run = '' }) => [...run.matchAll(/npm run (?:--\S+ )*([\w:-]+)/g)]);
    expect(named.filter(([, script = '']) => !(script in scripts))).toEqual([]);
  });
});

it('upgrades each lock file', () => {
  const [npm] = parse(text('dependabot.yml')).updates;
  const folders = npm.directories.map((folder: string) =>
    `${folder.slice(1)}/package-lock.json`.replace(/^\//, ''),
  );
  expect(folders.sort()).toEqual(
    [
      'package-lock.json',
      'examples/package-lock.json',
      'test/bench/peers/package-lock.json',
      'test/conformance/package-lock.json',
    ].sort(),
  );
  for (const folder of folders) expect(readFileSync(join(ROOT, folder), 'utf8')).toContain('lockfileVersion');
});

it('asks for the report of the doctor in each form, and keeps weaknesses out of them', () => {
  for (const form of ['bug.yml', 'idea.yml']) {
    const { name, description, body } = parse(text(`ISSUE_TEMPLATE/${form}`));
    expect([name, description].every((value) => typeof value === 'string')).toBe(true);
    const ids = body.flatMap(({ id }: { id?: string }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(body.find(({ id }: { id?: string }) => id === 'report').attributes.description).toContain(
      'optiongraph doctor',
    );
  }
  const { blank_issues_enabled, contact_links } = parse(text('ISSUE_TEMPLATE/config.yml'));
  expect({ blank_issues_enabled, links: contact_links.length }).toEqual({
    blank_issues_enabled: false,
    links: 1,
  });
});
