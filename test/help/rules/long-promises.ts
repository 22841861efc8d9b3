import { type SourceFile, withoutComments } from './layers.ts'

/** Files that may use `Promise.race`, with the reason. All others use the functions of `lib/async/race.ts`. */
export const ALLOWED_RACES: Readonly<Record<string, string>> = {
  'lib/async/race.ts': 'the helpers themselves, each with one promise of its own that nobody else holds',
  'contract/core/client-stream.ts': 'contract imports nothing; all three promises are made for one read',
  'cli/terminal/prompt.ts': 'cli imports contract only; both promises are made for one question',
  'worker-sdk/worker.ts': 'worker-sdk imports contract only; a worker is stopped once',
  'server/process/run.ts': 'a process is started once',
  'server/areas/apps/process/sandbox/confined-process.ts': 'a confined process becomes ready, is killed and ends once',
}

/**
 * Places that add a reaction to a promise that is kept in a property, as `path receiver`, with the reason why the number
 * of reactions is bounded.
 */
export const ALLOWED_REACTIONS: Readonly<Record<string, string>> = {
  'lib/db/embedded/engine-thread.ts thread.opened': 'once per thread',
  'server/areas/ai/builtin/model-thread.ts this.#host': 'when the model is closed',
  'server/areas/activity/completions.ts this.#writing': 'each link replaces the one before, and each settles',
  'server/areas/pipelines/calls/waiting.ts this.#listening': 'when the process stops',
  'server/areas/auth/sign-in/providers/oidc.ts next.configuration':
    'once per configuration, which is settled by its request',
  'server/areas/data-sources/search/current-indexes.ts next.current': 'once per entry, which is settled by its query',
  'server/areas/apps/process/sandbox/confined-process.ts this.ready': 'once per process',
  'server/areas/apps/process/sandbox/sandbox.ts child.ended': 'once per process',
  'server/areas/apps/process/start.ts app.gone': 'once per sandbox',
  'server/areas/apps/process/sandbox/sandboxes.ts sandbox.gone': 'once per sandbox',
  'server/areas/apps/process/sandbox/sandboxes.ts app.gone': 'once per sandbox',
  'server/areas/apps/process/build/run-command.ts sandbox.ready': 'once per sandbox',
  'server/areas/apps/keeper/program/kept-app.ts app.gone': 'once per sandbox',
  'server/areas/apps/keeper/program/kept-app.ts this.#starting': 'settles when the start has ended',
  'server/areas/apps/keeper/program/server-connection.ts sandbox.ready': 'once per sandbox',
  'server/areas/apps/keeper/link/keeper-link.ts welcomed.promise': 'once per connection',
  'server/areas/apps/keeper/link/remote-sandboxes.ts ready.promise': 'once per sandbox',
  'server/areas/apps/host/probe.ts instance.ended': 'once per start of an instance',
  'server/areas/apps/door/door-runs.ts this.#door': 'settles when the door has started, and each start has its own',
  'server/areas/apps/door/door-lines.ts child.ended': 'once per process',
  'server/areas/apps/door/door-lines.ts child.fault': 'once per process',
  'server/areas/apps/door/app-door.ts door.exited': 'once per stop of a door',
  'server/areas/apps/door/door-runs.ts listening.promise': 'once per start of a door',
  'server/areas/apps/door/harm/replay.ts listening.promise': 'once per start of a door',
  'server/areas/apps/door/program/sockets/socket-door.ts tunnel.ended': 'once per WebSocket',
  'server/areas/apps/door/own-requests.ts waiting.body.promise': 'once per request, which settles it',
  'server/areas/databases/engine/embedded/session.ts this.#starting': 'when the session is closed',
  'server/areas/databases/engine/embedded/engine-process.ts this.exited': 'when the engine is closed',
}

const REACTION = /((?:\bthis\.#?|\b\w+\.)\w+(?:\.promise)?)\??\s*\.(?:then|catch|finally)\(/g

/**
 * Finds races outside `lib/async/race.ts` and reactions to promises that are kept in a property. Both add a reaction that is
 * freed only when the promise settles, which for one that lives as long as a process is a leak of memory.
 */
export function findLongPromises(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !/\.test\.tsx?$/.test(path))
    .flatMap(({ path, text }) => {
      const plain = withoutComments(text)
      const races = /\bPromise\s*\.\s*race\b|\brace\s*[},][^;]*=\s*Promise\b/.test(plain) && !(path in ALLOWED_RACES)
      const reactions = reactionsIn(plain).filter((receiver) => !(`${path} ${receiver}` in ALLOWED_REACTIONS))
      return [
        ...(races ? [`${path}: Promise.race outside lib/async/race.ts`] : []),
        ...reactions.map((receiver) => `${path}: ${receiver} may outlive its reactions`),
      ]
    })
}

/** Returns the properties of a text, without those of a call's result, to which a reaction is added. */
export function reactionsIn(text: string): string[] {
  return [...new Set([...text.matchAll(REACTION)].map(([, receiver]) => receiver!))]
}
