// Builds the page. In development, passes operations on to the server, so that page and server have one origin.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  server: {
    proxy: { '/graphql': { target: process.env['SERVER_URL'] ?? 'http://127.0.0.1:4000', ws: true } },
  },
});
