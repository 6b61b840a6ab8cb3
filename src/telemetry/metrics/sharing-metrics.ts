// Measures whether replicas can share.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Observer } from '../observer.ts';

/** Makes an observer that measures sharing. */
export function measureSharing(registry: Registry): Observer {
  const alone = new Gauge({
    name: 'optiongraph_sharing_alone',
    help: '1 while Redis is configured and cannot be used, so that this replica goes on by itself',
    registers: [registry],
  });
  const losses = new Counter({
    name: 'optiongraph_sharing_losses_total',
    help: 'How often Redis could not be used any more',
    registers: [registry],
  });
  return {
    sharing({ isAlone }) {
      alone.set(isAlone ? 1 : 0);
      if (isAlone) losses.inc();
    },
  };
}
