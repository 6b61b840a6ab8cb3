import { createHash } from 'node:crypto';
import type { Response } from '../engine/handler.ts';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:22rem;margin:4rem auto;padding:0 1rem}' +
  'label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}' +
  'input{margin:0 0 1rem;padding:.4rem}button{margin-top:.5rem;padding:.5rem}[role=alert]{color:#b00020}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** A login that waits for its next step. */
export interface LoginPage {
  readonly step: 'password' | 'code';
  readonly clientName: string;
  /** What the client asks for; empty for nothing. */
  readonly scope: string;
  /** Comes back with the form. */
  readonly transaction: string;
  /** Where the form may lead in the end. */
  readonly redirectUri: string;
  /** What was wrong with the step before; undefined: nothing. */
  readonly problem?: string | undefined;
}

const fields = {
  password:
    '<label for="user">User</label><input id="user" name="user" autocomplete="username" required autofocus>' +
    '<label for="password">Password</label>' +
    '<input id="password" name="password" type="password" autocomplete="current-password" required>',
  code:
    '<label for="code">Code of your authenticator</label>' +
    '<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus>',
} as const;

/** The form of a login's next step. */
export function loginPage({
  step,
  clientName,
  scope,
  transaction,
  redirectUri,
  problem,
}: LoginPage): Response {
  const alert = problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`;
  const body =
    `<h1>Sign in</h1><p><strong>${escaped(clientName)}</strong> asks for access to your account.` +
    ` Scope: ${scope === '' ? 'none' : `<code>${escaped(scope)}</code>`}</p>${alert}<form method="post">` +
    `<input type="hidden" name="transaction" value="${escaped(transaction)}">${fields[step]}` +
    '<button type="submit">Sign in</button>' +
    '<button type="submit" name="cancel" value="1" formnovalidate>Cancel</button></form>';
  return page(problem === undefined ? 200 : 403, 'Sign in', body, `'self' ${sourceOf(redirectUri)}`);
}

/** Why a login cannot go on; the user is not sent back to the client. */
export function errorPage(status: number, problem: string): Response {
  return page(status, 'Sign in', `<h1>Sign in</h1><p role="alert">${escaped(problem)}</p>`, "'none'");
}

function page(status: number, title: string, body: string, formAction: string): Response {
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`;
  return {
    status,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body:
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
      `<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>${body}</body></html>`,
    scope: null,
  };
}

/** What a policy calls the place that a form is redirected to: browsers apply `form-action` to redirects too. */
function sourceOf(uri: string): string {
  const { origin, protocol, hostname } = new URL(uri);
  // A policy has no words for other schemes' origins nor for IPv6 addresses.
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
