// The form in which replicas send each other a credential. Messages leave the process encrypted, see `Replicas`.
import * as z from 'zod';
import { type Credential, createCredential } from '../upstream/http/caller.ts';

/** A credential without its key, which differs in each process. */
export const credentialMessage = z
  .object({ kind: z.enum(['basic', 'bearer', 'token', 'oauth2']), header: z.string(), value: z.string() })
  .readonly();

/** The form of a credential for other replicas. */
export const toMessage = ({ kind, header, value }: Credential): z.infer<typeof credentialMessage> => ({
  kind,
  header,
  value,
});

/** The credential of a message. */
export const fromMessage = ({ kind, header, value }: z.infer<typeof credentialMessage>): Credential =>
  createCredential(kind, header, value);
