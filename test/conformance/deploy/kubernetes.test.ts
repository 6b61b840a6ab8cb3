// Tests the manifests of Kubernetes against its schemas, and that they refer to each other.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/plugins/metrics/metrics.ts';
import { readServe } from '../../helpers/read-config.ts';

const FOLDER = new URL('../../../deploy/kubernetes/', import.meta.url);
const read = (name: string) => parse(readFileSync(new URL(name, FOLDER), 'utf8'));
const { resources, configMapGenerator, secretGenerator } = read('kustomization.yaml');

it('lists all manifests', () => {
  const others = [
    'kustomization.yaml',
    ...configMapGenerator.flatMap(({ files }: { files: string[] }) => files),
  ];
  // Whoever tries the manifests has a file of secrets there.
  const manifests = readdirSync(FOLDER).filter((name) => ![...others, 'secrets.env'].includes(name));
  expect([...resources].sort()).toEqual(manifests.sort());
});

it.each<string>(resources)('%s is valid', async (name) => {
  const manifest = read(name);
  const models = await import(/* @vite-ignore */ `kubernetes-models/${manifest.apiVersion}/${manifest.kind}`);
  const model = new models[manifest.kind](manifest);
  expect(() => model.validate()).not.toThrow();
});

it('selects the pods of the deployment everywhere', () => {
  const { template, selector } = read('deployment.yaml').spec;
  const labels = template.metadata.labels;
  expect(selector.matchLabels).toEqual(labels);
  expect(read('service.yaml').spec.selector).toEqual(labels);
  expect(read('disruption-budget.yaml').spec.selector.matchLabels).toEqual(labels);
  const { topologySpreadConstraints } = template.spec;
  expect(topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey)).toEqual([
    'kubernetes.io/hostname',
    'topology.kubernetes.io/zone',
  ]);
  for (const { labelSelector } of topologySpreadConstraints)
    expect(labelSelector.matchLabels).toEqual(labels);
  expect(read('network-policy.yaml').spec.podSelector.matchLabels).toEqual(labels);
});

it('scales the deployment by metrics that the program has', async () => {
  const { scaleTargetRef, metrics } = read('autoscaler.yaml').spec;
  const { apiVersion, kind, metadata } = read('deployment.yaml');
  expect(scaleTargetRef).toEqual({ apiVersion, kind, name: metadata.name });
  const text = await createMetrics('1.0.0', () => null).text();
  const known = [...text.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name]) => name);
  for (const { pods } of metrics) if (pods) expect(known).toContain(pods.metric.name);
});

it('reads its secrets from files of the generated Secret', () => {
  const { containers, volumes } = read('deployment.yaml').spec.template.spec;
  const [{ env, volumeMounts }] = containers;
  const [{ name }] = secretGenerator;
  expect(volumes).toContainEqual({ name: 'secrets', secret: { secretName: name } });
  const { mountPath } = volumeMounts.find((mount: { name: string }) => mount.name === 'secrets');
  for (const secret of ['REDIS_URL', 'SESSION_SECRET'])
    expect(env).toContainEqual({ name: `${secret}_FILE`, value: `${mountPath}/${secret}` });
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
    limits: { drainTime: 5_000 },
  });
});
