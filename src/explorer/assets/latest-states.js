// Turns the events of subscriptions to several actions into lists of the latest state of each action, because GraphiQL shows only
// the newest event. Plain JavaScript for the page.
(() => {
  const STREAMS = /\b(?:pendingActions|actionProgressMany)\b/;
  /** Actions shown in a list; the note has the number of further ones. */
  const MOST_SHOWN = 100;
  /** Unfinished actions remembered, as many as one subscription may follow. */
  const MOST_UNFINISHED = 1000;
  const MOST_FINISHED = 20;
  const NOTE =
    'This page lists the latest state of each action, unfinished ones first. Each event of the API contains one action.';

  /** Remembers states by id. Unfinished ones keep their place in the list; finished ones follow, newest first. */
  function createStates() {
    const unfinished = new Map();
    const finished = new Map();
    return {
      add(state) {
        const isFinished = state.finished === true || (state.outcome ?? 'RUNNING') !== 'RUNNING';
        (isFinished ? unfinished : finished).delete(state.id);
        if (isFinished) finished.delete(state.id);
        (isFinished ? finished : unfinished).set(state.id, state);
        dropOldest(unfinished, MOST_UNFINISHED);
        dropOldest(finished, MOST_FINISHED);
      },
      list: () => [...unfinished.values(), ...[...finished.values()].reverse()],
    };
  }

  function dropOldest(states, most) {
    for (const id of states.keys()) {
      if (states.size <= most) return;
      states.delete(id);
    }
  }

  /** Makes a function that turns each event of a stream into the list that the page shows, except events without an id. */
  function createEventRewriter() {
    const states = createStates();
    let field = null;
    return (event) => {
      const { data, ...rest } = event;
      const [name, state] = Object.entries(data ?? {})[0] ?? [];
      if (state) {
        if (state.id === undefined) return event;
        field = name;
        states.add(state);
      }
      if (field === null) return event;
      const all = states.list();
      const hidden = all.length - MOST_SHOWN;
      const note = hidden > 0 ? `${NOTE} ${hidden} more are not shown.` : NOTE;
      return { ...rest, note, [field]: all.slice(0, MOST_SHOWN) };
    };
  }

  /** Rewrites the data of `next` events in a server-sent event stream. Comments and other events are unchanged. */
  function rewriteEvents(rewrite) {
    let rest = '';
    const readBlock = (block) =>
      /^event: next$/m.test(block)
        ? block.replace(
            /^data: (.*)$/m,
            (_line, json) => `data: ${JSON.stringify(rewrite(JSON.parse(json)))}`,
          )
        : block;
    return new TransformStream({
      transform(text, controller) {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) controller.enqueue(`${readBlock(block)}\n\n`);
      },
      flush(controller) {
        controller.enqueue(rest);
      },
    });
  }

  /** Returns the response, with rewritten events if the request subscribes to several actions. */
  function withLatestStates(response, url) {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream || !STREAMS.test(url.searchParams.get('query') ?? '')) return response;
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(rewriteEvents(createEventRewriter()))
      .pipeThrough(new TextEncoderStream());
    return new Response(body, response);
  }

  window.optiongraph = { ...window.optiongraph, withLatestStates };
})();
