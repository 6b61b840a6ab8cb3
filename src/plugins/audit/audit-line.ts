// Defines the lines of the audit.
import * as z from 'zod';

const common = {
  time: z.iso.datetime().describe('when the line was made'),
  hostname: z.string().describe('the machine'),
  pid: z.int().describe('the process'),
  write: z.string().describe('identifies the write; the same in all its lines'),
  requestId: z.string().describe('the request, as in the log and in the response'),
  action: z.string().describe('scope of the action, e.g. `book#create`'),
};

const sent = z.strictObject({
  event: z.literal('sent'),
  ...common,
  traceId: z.string().nullable().describe('the trace of the request; null for none'),
  via: z
    .string()
    .nullable()
    .describe('`mcp` for an agent, which the door for agents has let in; null for GraphQL itself'),
  caller: z
    .strictObject({
      kind: z
        .enum(['anonymous', 'basic', 'bearer', 'token', 'oauth2'])
        .describe('how the credential was sent'),
      user: z.string().nullable().describe('global id of the user; null where it is not known'),
      credential: z.string().nullable().describe('keyed hash of the credential; null for none'),
    })
    .describe('who writes'),
  field: z.string().nullable().describe('coordinate of the field; null for a resolver of the operator'),
  target: z
    .string()
    .nullable()
    .describe(
      'global id of the object that is written, else of its nearest parent in the path; null for none',
    ),
  inputs: z.array(z.string()).describe('names of the input parameters that are sent'),
});

const answered = z.strictObject({
  event: z.literal('answered'),
  ...common,
  outcome: z
    .enum(['done', 'refused', 'not_sent', 'unknown'])
    .describe(
      '`done`: accepted; `refused`: by the API; `not_sent`: nothing has happened; `unknown`: nobody knows',
    ),
  status: z.int().nullable().describe('HTTP status; null when no response arrived'),
  code: z.string().nullable().describe('code of the error or user error that the client gets; null for none'),
  result: z.string().nullable().describe('global id of the object in the response; null for none'),
  actionId: z.string().nullable().describe('id of the running action; null for none'),
});

const ended = z.strictObject({
  event: z.literal('ended'),
  ...common,
  actionId: z.string().describe('id of the action that has ended'),
  outcome: z.enum(['succeeded', 'failed']).describe('how it has ended'),
});

/** A line. */
export const auditLine = z.discriminatedUnion('event', [sent, answered, ended]);
export type AuditLine = z.infer<typeof auditLine>;
