// Builds the page with Relay's Babel plugin. In development, passes operations on to the server, so that page and server have one origin.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react({ babel: { plugins: ['relay'] } })],
  server: {
    proxy: {
      '/graphql': {
        target: process.env['SERVER_URL'] ?? 'http://127.0.0.1:4000',
        // The page has no form to sign in, so this development proxy adds the token of a user of the sandbox.
        headers: { 'X-Service-Auth-Token': process.env['TOKEN'] ?? '' },
      },
    },
  },
});
