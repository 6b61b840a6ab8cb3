import { clusterEndpoints } from './endpoints-cluster.ts';
import { datasetEndpoints } from './endpoints-dataset.ts';
import { dnsEndpoints } from './endpoints-dns.ts';
import { expansionEndpoints } from './endpoints-expansion.ts';

/** Every endpoint of the reference that has no test of its own, by section. */
export const endpoints = { ...clusterEndpoints, ...datasetEndpoints, ...expansionEndpoints, ...dnsEndpoints };
