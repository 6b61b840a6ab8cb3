// Shows the page.
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { App } from './app.tsx';
import { environment } from './environment.ts';
import { ErrorBoundary } from './error-boundary.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element #root.');
createRoot(root).render(
  <StrictMode>
    <RelayEnvironmentProvider environment={environment}>
      <h1>Datasets</h1>
      <ErrorBoundary>
        <Suspense fallback={<p role="status">Loading…</p>}>
          <App />
        </Suspense>
      </ErrorBoundary>
    </RelayEnvironmentProvider>
  </StrictMode>,
);
