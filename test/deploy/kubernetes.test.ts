// Tests the manifests of Kubernetes against its schemas, and that they refer to each other.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readServe } from '../helpers/read-config.ts';

const FOLDER = new URL('../../deploy/kubernetes/', import.meta.url);
const read = (name: string) => parse(readFileSync(new URL(name, FOLDER), 'utf8'));
const { resources, configMapGenerator } = read('kustomization.yaml');

it('lists all manifests', () => {
  const others = [
    'kustomization.yaml',
    ...configMapGenerator.flatMap(({ files }: { files: string[] }) => files),
  ];
  const manifests = readdirSync(FOLDER).filter((name) => !others.includes(name));
  expect([...resources].sort()).toEqual(manifests.sort());
});

it.each<string>(resources)('%s is valid', async (name) => {
  const manifest = read(name);
  const models = await import(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`);
  const model = new models[manifest.kind](manifest);
  expect(() => model.validate()).not.toThrow();
});

it('selects the pods of the deployment everywhere', () => {
  const { template, selector } = read('deployment.yaml').spec;
  const labels = template.metadata.labels;
  expect(selector.matchLabels).toEqual(labels);
  expect(read('service.yaml').spec.selector).toEqual(labels);
  expect(read('disruption-budget.yaml').spec.selector.matchLabels).toEqual(labels);
  expect(read('network-policy.yaml').spec.podSelector.matchLabels).toEqual(labels);
});

it('meets the restricted standard of pod security', () => {
  const { spec } = read('deployment.yaml').spec.template;
  expect(spec.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  for (const { securityContext } of spec.containers) {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
});

it('has settings that the program accepts', async () => {
  const settings = fileURLToPath(new URL('optiongraph.yaml', FOLDER));
  expect(await readServe(['--config', settings])).toMatchObject({
    upstream: { url: new URL('https://api.example.org/') },
  });
});
