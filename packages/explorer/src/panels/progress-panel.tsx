// Shows the progress of the actions that a subscription follows, above its result.
import { useEffect, useRef, useState } from 'react';
import {
  type FollowedAction,
  forgetStream,
  type Progress,
  type SeenEvent,
  useLastOperation,
} from '../operations/last-operation.ts';
import { useActiveTab } from './use-active-tab.ts';
import { useScrolling } from './use-scrolling.ts';

/** A bar for each action, and the events of the subscription. */
export function ProgressPanel() {
  const last = useLastOperation();
  const tab = useActiveTab();
  const shownTab = useRef(tab);
  useEffect(() => {
    if (shownTab.current !== tab) forgetStream();
    shownTab.current = tab;
  }, [tab]);
  const isLive = last?.isStreaming === true && last.actions.some(({ endedAt }) => endedAt === null);
  const now = useNow(isLive);
  const list = useScrolling<HTMLUListElement>();
  if (last === null || last.actions.length === 0) return null;
  return (
    <section aria-label="Progress" className="optiongraph-progress">
      <ul aria-label="Actions" ref={list}>
        {last.actions.map((action) => (
          <ProgressBar key={action.key} action={action} now={now} />
        ))}
      </ul>
      <Events events={last.events} />
    </section>
  );
}

function ProgressBar({
  action: { state, key, firstSeen, endedAt },
  now,
}: {
  readonly action: FollowedAction;
  readonly now: number;
}) {
  const { progress } = state;
  const label = state.label ?? key;
  const outcome = state.outcome ?? (endedAt === null ? 'RUNNING' : 'FINISHED');
  const percent = typeof progress === 'number' ? Math.round(100 * progress) : null;
  return (
    <li data-outcome={outcome}>
      <div className="optiongraph-call">
        <strong>{label === '' ? 'Action' : label}</strong>
        <span>
          {percent === null ? '' : `${percent} % · `}
          {toClock((endedAt ?? now) - firstSeen)}
          {outcome === 'RUNNING' ? '' : ` · ${outcome.toLowerCase()}`}
        </span>
      </div>
      {/* Without a value, the bar shows that the action is running. */}
      <progress
        aria-label={label === '' ? 'Action' : label}
        max={100}
        {...(percent === null ? {} : { value: percent })}
      />
    </li>
  );
}

function Events({ events }: { readonly events: readonly SeenEvent[] }) {
  const list = useScrolling<HTMLOListElement>();
  return (
    <ol aria-label="Events" ref={list}>
      {events.map(({ number, at, state }) => (
        <li key={number}>
          <time>{new Date(at).toLocaleTimeString()}</time> {describe(state)}
        </li>
      ))}
    </ol>
  );
}

function describe({ id, label, outcome, progress }: Progress): string {
  const percent = typeof progress === 'number' ? `${Math.round(100 * progress)} %` : null;
  return [label ?? id, outcome?.toLowerCase(), percent]
    .filter((part) => typeof part === 'string')
    .join(' · ');
}

/** `75000` as `1:15`. */
function toClock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The time, every second while something is running. */
function useNow(isLive: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isLive]);
  return now;
}
