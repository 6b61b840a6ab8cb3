// GraphiQL shows the newest event of a subscription alone. Here the events of a stream that follows several actions become a
// list of the latest state of each.
(() => {
  const STREAMS = /\b(?:pendingActions|actionProgressMany)\b/;
  /** Actions in a list; the note counts those beyond. */
  const MOST_SHOWN = 100;
  /** Unfinished actions remembered; the facade lets one subscription name as many. */
  const MOST_UNFINISHED = 1000;
  const MOST_FINISHED = 20;
  const NOTE =
    'This page lists the latest state of each action, unfinished ones first. Each event of the API holds one action.';

  /** Remembers states by id; unfinished ones keep their place in the list, finished ones stand behind, newest first. */
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

  /** Makes a function that turns each event of one stream into what the page shows; an event without an id stays as it is. */
  function createView() {
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

  /** Rewrites the data of server-sent events, which end with an empty line; comments and other events pass. */
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

  /** The answer to a request, with the latest state of each action in every event where the request subscribes to several. */
  function withLatestStates(response, url) {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream || !STREAMS.test(url.searchParams.get('query') ?? '')) return response;
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(rewriteEvents(createView()))
      .pipeThrough(new TextEncoderStream());
    return new Response(body, response);
  }

  window.optiongraph = { ...window.optiongraph, withLatestStates };
})();
