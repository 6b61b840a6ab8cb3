// Tests the rules of the Dockerfile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Copy, DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FILE = join(ROOT, 'deploy/Dockerfile');
const text = readFileSync(FILE, 'utf8');
const dockerfile = DockerfileParser.parse(text);

it('is valid', () => {
  expect(validate(text)).toEqual([]);
});

it('names the version of each base image', () => {
  const images = dockerfile.getFROMs().map((from) => from.getImage() ?? '');
  expect(images.length).toBeGreaterThan(0);
  expect(images.filter((image) => !/:.*\$\{\w+_VERSION\}$/.test(image))).toEqual([]);
  const defaults = dockerfile.getInitialARGs().map((arg) => arg.getProperty()?.getValue() ?? '');
  expect(defaults.filter((version) => !/^\d+(\.\d+)+$/.test(version))).toEqual([]);
});

it('ends as a numbered user that is not root, with a health check', () => {
  const instructions = dockerfile.getInstructions();
  const start = instructions.findLastIndex((instruction) => instruction.getKeyword() === 'FROM');
  const lastStage = instructions.slice(start);
  const argumentsOf = (keyword: string) =>
    lastStage.findLast((instruction) => instruction.getKeyword() === keyword)?.getArgumentsContent();
  // A port in the image would outrank that of a mounted file.
  expect(argumentsOf('ENV')).not.toContain('PORT');
  expect(argumentsOf('HEALTHCHECK')).toMatch(/\/\/127\.0\.0\.1:\$\{PORT:-4000\}\/livez/);
  expect(argumentsOf('USER')).toMatch(/^[1-9]\d+$/);
});

it('starts the program itself, so that signals reach it', () => {
  for (const instruction of [...dockerfile.getENTRYPOINTs(), ...dockerfile.getCMDs()])
    expect(instruction.getArgumentsContent()).toMatch(/^\[".*"\]$/);
});

it('copies only files that the build context has', () => {
  const ignored = readFileSync(`${FILE}.dockerignore`, 'utf8').split('\n');
  const fromContext = dockerfile.getCOPYs().filter((copy: Copy) => copy.getFromFlag() === null);
  const sources = fromContext.flatMap((copy) => copy.getArguments().slice(0, -1));
  const paths = sources.map((source) => source.getValue().replace(/\/$/, ''));
  expect(paths.filter((path) => !ignored.some((line) => `${path}/`.startsWith(`${line.slice(1)}/`)))).toEqual(
    [],
  );
});
