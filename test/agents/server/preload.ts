import { registerHooks } from 'node:module'

/**
 * Loaded by Node before the server, for what no setting of the product changes: how far its clock is ahead of the
 * machine's, and how long an access token is valid. The clock of the agents stays the machine's.
 */
const { AGENTS_CLOCK_AHEAD_MS, AGENTS_TOKEN_SECONDS } = process.env
const LIFETIME = 'ACCESS_TOKEN_SECONDS = 10 * 60'

if (AGENTS_CLOCK_AHEAD_MS !== undefined) globalThis.Date = aheadBy(Number(AGENTS_CLOCK_AHEAD_MS))
if (AGENTS_TOKEN_SECONDS !== undefined) {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context)
      if (!url.endsWith('/src/edge/credentials/access-token.ts')) return loaded
      const source =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source ?? undefined)
      if (!source.includes(LIFETIME)) throw new Error(`${url} has no "${LIFETIME}"`)
      return { ...loaded, source: source.replace(LIFETIME, `ACCESS_TOKEN_SECONDS = ${AGENTS_TOKEN_SECONDS}`) }
    },
  })
}

function aheadBy(ms: number): DateConstructor {
  const { now } = Date
  return new Proxy(Date, {
    construct: (real, args, target) => Reflect.construct(real, args.length === 0 ? [now() + ms] : args, target),
    get: (real, name, receiver) => (name === 'now' ? () => now() + ms : Reflect.get(real, name, receiver)),
  })
}
