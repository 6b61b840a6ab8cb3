// The pane that shows the upstream calls of the last operation as a waterfall.
import { type GraphiQLPlugin, VisuallyHidden } from '@graphiql/react';
import { type NumberedCall, useLastOperation } from '../operations/last-operation.ts';
import { toWords } from '../sign-in/step-inputs.ts';
import { LineIcon } from './line-icon.tsx';
import { useScrolling } from './use-scrolling.ts';

function CallsPanel() {
  const last = useLastOperation();
  const pane = useScrolling<HTMLElement>();
  return (
    <section aria-label="Upstream calls" className="optiongraph-calls" ref={pane}>
      <h2 className="graphiql-doc-explorer-title">Upstream calls</h2>
      {last === null ? (
        <p>Execute an operation to see the calls that it makes to the management API.</p>
      ) : last.calls === null ? (
        <p>The operation is under way.</p>
      ) : (
        <>
          <p>
            {last.name ?? 'The last operation'} made {countOf(last.calls)}
            {last.ms === null ? '' : `, ${last.ms} ms of work for the management API`}.
          </p>
          {last.isSubscription ? (
            <p>
              The server reads running actions once for all who follow them. Those calls belong to no
              operation.
            </p>
          ) : null}
          <Waterfall calls={last.calls} />
        </>
      )}
    </section>
  );
}

function countOf(calls: readonly NumberedCall[]): string {
  const made = calls.filter(({ from }) => from === undefined).length;
  const shared = calls.length - made;
  const text = made === 0 ? 'no call' : made === 1 ? '1 call' : `${made} calls`;
  return shared === 0 ? text : `${text} and shared ${shared === 1 ? '1 read' : `${shared} reads`}`;
}

/** Each call is a row, whose bar begins when the call was sent and ends with its response. */
function Waterfall({ calls }: { readonly calls: readonly NumberedCall[] }) {
  const end = Math.max(1, ...calls.map(({ start, ms }) => start + ms));
  return (
    <ol>
      {calls.map((call) => {
        const { number, action, path, status, start, ms, from, reason, fields = [] } = call;
        const failed = from === undefined && (status === null || status >= 400);
        return (
          <li key={number} className={failed ? 'failed' : from === undefined ? '' : 'shared'}>
            <div className="optiongraph-call">
              <code title={path}>{action}</code>
              <span title={`sent at ${start} ms`}>
                {ms} ms<VisuallyHidden>, sent at {start} ms</VisuallyHidden>
              </span>
            </div>
            <div className="optiongraph-track">
              <div
                style={{
                  marginInlineStart: `${(100 * start) / end}%`,
                  inlineSize: `max(3px, ${(100 * ms) / end}%)`,
                }}
              />
            </div>
            <div className="optiongraph-why">
              {outcomeOf(call)}
              {reason === undefined ? '' : ` · ${toWords(reason)}`}
              {fields.length === 0 ? '' : ` for ${fields.join(', ')}`}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function outcomeOf({ status, from }: NumberedCall): string {
  if (from !== undefined) return 'shared with another operation';
  return status === null ? 'no response' : `HTTP ${status}`;
}

const CallsIcon = () => <LineIcon path="M4 6h8M8 12h9M13 18h7" />;

/** The pane with the waterfall. */
export const CALLS_PLUGIN: GraphiQLPlugin = { title: 'Upstream calls', icon: CallsIcon, content: CallsPanel };
